// Package upgradecheck asks, for each session of a home, what later releases do with its log
// (package upgrade), and counts the answers. Subagents' logs are read first, because a release
// adds those that the catalog of their parent lacks.
package upgradecheck
