package housetest

import (
	"strings"
	"testing"
)

// enoughTests says of groups of packages how many lines of test there are for each line
// of the product, at least. Tests that are packages of their own count where they belong.
var enoughTests = []struct {
	name           string
	product, tests []string // folders, with those below them
	ratio          float64
}{
	{"reconstruct", []string{"reconstruct/"}, []string{"reconstruct/"}, 0.6},
	{"verify and checks", []string{"internal/verify/", "internal/check/"}, []string{"internal/verify/", "internal/check/", "internal/recordingtest/"}, 0.6},
}

// TestThereAreEnoughTests holds the groups to their ratio.
func TestThereAreEnoughTests(t *testing.T) {
	for _, group := range enoughTests {
		product, tests := 0, 0
		for _, path := range paths(t, ".go") {
			lines := strings.Count(read(t, path), "\n")
			switch isTest := strings.HasSuffix(path, "_test.go"); {
			case isTest && isBelow(path, group.tests):
				tests += lines
			case !isTest && isBelow(path, group.product):
				product += lines
			}
		}
		if ratio := float64(tests) / float64(product); ratio < group.ratio {
			t.Errorf("%s: %d lines of test for %d of the product, a ratio of %.2f; at least %.2f is asked for", group.name, tests, product, ratio, group.ratio)
		}
	}
}

func isBelow(path string, folders []string) bool {
	for _, folder := range folders {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}
