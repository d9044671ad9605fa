//go:build !linux

package paged

import "errors"

// file is nothing here.
type file struct{}

func create(string) (*file, error) { return nil, errors.ErrUnsupported }

func (*file) extend(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func (*file) close() {}
