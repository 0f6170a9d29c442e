// Package objects verifies the attachments that requests reference: that each is in the
// store, whole, and what the log says of it.
package objects
