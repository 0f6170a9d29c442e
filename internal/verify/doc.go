// Package verify folds one log once, rebuilds every request, compares them with checks, and
// says what was found as findings and one verdict.
//
//	log := verify.Run(name, reader, compare.New(recording), objects.New(store))
//
// It knows no check, no terminal and no format of output: a [Check] plugs in.
package verify
