// Package emulating has the command weft emulate: programs on hosts of a fabric that a scenario describes.
package emulating
