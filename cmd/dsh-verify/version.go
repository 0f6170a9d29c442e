package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the release build; other builds take the module's version.
var version = ""

// versionLine says which build this is: version, commit, Go and platform.
func versionLine() string {
	v, commit, modified := version, "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = ", modified"
			}
		}
	}
	if v == "" || v == "(devel)" {
		v = "development build"
	}
	if commit != "" {
		commit = ", commit " + commit + modified
	}
	return fmt.Sprintf("dsh-verify %s%s (%s, %s/%s)", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
