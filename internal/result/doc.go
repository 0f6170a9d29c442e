// Package result is what a run found, as plain data: a [Report] over logs, a [Log] with
// its session, counts, requests and findings. Its members are those of the JSON report,
// whose version is [SchemaVersion]. What prints, weighs or shows results reads them here
// and knows no engine.
package result
