package host

import "io/fs"

// Files is the file system of a machine or container. Paths are absolute.
type Files interface {
	// ReadFile returns a file's whole content.
	ReadFile(path string) ([]byte, error)
	// WriteFile puts data under path in one step: a reader, or a restart after
	// a crash, sees the former content or the new one, never a part. The file
	// has exactly that mode afterwards.
	WriteFile(path string, data []byte, mode fs.FileMode) error
	// MkdirAll makes a directory and those above it; one that is there is fine.
	MkdirAll(path string, mode fs.FileMode) error
	// ReadDir returns the names in a directory, sorted.
	ReadDir(path string) ([]string, error)
	// Remove takes away a file or an empty directory.
	Remove(path string) error
}
