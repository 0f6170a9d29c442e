//go:build !unix

package atomicfile

// syncFolder does nothing: the system keeps the names in a folder by itself.
func syncFolder(string) error { return nil }
