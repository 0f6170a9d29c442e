// Package capture compares the requests of a log with captured HTTP bodies: by session, then
// by exact bytes, then by order within the session. What a body rests on that no log holds,
// as the settings of a deployment or the ids of files, is inferred and named. Requests
// outside the loop, posts of one request again and what plugins append are distinguished.
package capture
