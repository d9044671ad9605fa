// Package doctable reads the tables of docs/results.md that describe columns and keys. Tests
// compare them with what the program writes.
package doctable

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// Row is a table row whose first cell names columns or keys.
type Row struct {
	// Names lists the names in the first cell.
	Names []string
	// Cells holds the text of every cell, the first included.
	Cells []string
}

var (
	heading = regexp.MustCompile(`(?m)^##+ (.*)$`)
	name    = regexp.MustCompile("`([^`]+)`")
)

// Rows returns the table rows in the section with a given title. The section ends at the next
// heading of any level.
func Rows(document, title string) ([]Row, error) {
	all := heading.FindAllStringSubmatchIndex(document, -1)
	for i, at := range all {
		if document[at[2]:at[3]] != title {
			continue
		}
		end := len(document)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		return rows(document[at[1]:end]), nil
	}
	return nil, fmt.Errorf("there is no section %q", title)
}

func rows(section string) []Row {
	var list []Row
	for _, line := range strings.Split(section, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		r := Row{Cells: cells}
		for _, m := range name.FindAllStringSubmatch(cells[0], -1) {
			r.Names = append(r.Names, m[1])
		}
		list = append(list, r)
	}
	return list
}

// Names lists the names of all rows, in their order.
func Names(list []Row) []string {
	var names []string
	for _, r := range list {
		names = append(names, r.Names...)
	}
	return names
}

// Keys lists the JSON keys of a struct type, with the keys of embedded structs and of fields that
// may be omitted.
func Keys(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "-":
		case key != "":
			keys = append(keys, key)
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			keys = append(keys, Keys(f.Type)...)
		case f.IsExported():
			keys = append(keys, f.Name)
		}
	}
	return keys
}
