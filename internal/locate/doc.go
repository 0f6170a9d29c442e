// Package locate finds the session logs that a LOG argument names: a plain or
// Zstandard log, standard input, and whatever else holds sessions.
package locate
