package output_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// The part of the SARIF 2.1.0 schema that reports use. As in the schema, members
// that are not named are not allowed.
//
// A member's type is the name of an object, one of the scalars below, or either
// after [] for an array.
var sarifSchema = map[string]struct {
	required []string
	members  map[string]string
}{
	"log":           {[]string{"version", "runs"}, map[string]string{"$schema": "uri", "version": "2.1.0", "runs": "[]run"}},
	"run":           {[]string{"tool"}, map[string]string{"tool": "tool", "invocations": "[]invocation", "results": "[]result", "properties": "bag"}},
	"tool":          {[]string{"driver"}, map[string]string{"driver": "component"}},
	"component":     {[]string{"name"}, map[string]string{"name": "string", "rules": "[]rule"}},
	"invocation":    {[]string{"executionSuccessful"}, map[string]string{"executionSuccessful": "bool"}},
	"rule":          {[]string{"id"}, map[string]string{"id": "string", "shortDescription": "multiformat", "fullDescription": "multiformat", "help": "multiformat", "defaultConfiguration": "configuration", "properties": "bag"}},
	"multiformat":   {[]string{"text"}, map[string]string{"text": "string", "markdown": "string"}},
	"message":       {[]string{"text"}, map[string]string{"text": "string", "markdown": "string"}},
	"configuration": {nil, map[string]string{"level": "level"}},
	"result": {[]string{"message"}, map[string]string{
		"ruleId": "string", "ruleIndex": "index", "level": "level", "message": "message", "locations": "[]location",
		"relatedLocations": "[]location", "partialFingerprints": "strings", "suppressions": "[]suppression", "properties": "bag",
	}},
	"location":    {nil, map[string]string{"id": "index", "physicalLocation": "physical", "logicalLocations": "[]logical", "message": "message"}},
	"physical":    {[]string{"artifactLocation"}, map[string]string{"artifactLocation": "artifact", "region": "region"}},
	"artifact":    {nil, map[string]string{"uri": "uri"}},
	"region":      {nil, map[string]string{"startLine": "positive"}},
	"logical":     {nil, map[string]string{"name": "string", "fullyQualifiedName": "string", "kind": "string"}},
	"suppression": {[]string{"kind"}, map[string]string{"kind": "suppression kind", "justification": "string"}},
}

var sarifScalars = map[string]func(any) bool{
	"string": isString, "bool": func(v any) bool { _, ok := v.(bool); return ok },
	"uri": func(v any) bool {
		s, _ := v.(string)
		_, err := url.Parse(s)
		return s != "" && err == nil && !strings.ContainsAny(s, " <>\"`\\^{}|")
	},
	"2.1.0": func(v any) bool { return v == "2.1.0" },
	"level": func(v any) bool {
		s, _ := v.(string)
		return slices.Contains([]string{"none", "note", "warning", "error"}, s)
	},
	"suppression kind": func(v any) bool { return v == "inSource" || v == "external" },
	"index":            func(v any) bool { n, ok := v.(float64); return ok && n >= -1 && n == float64(int(n)) },
	"positive":         func(v any) bool { n, ok := v.(float64); return ok && n >= 1 && n == float64(int(n)) },
	"bag":              func(v any) bool { _, ok := v.(map[string]any); return ok },
	"strings": func(v any) bool {
		m, ok := v.(map[string]any)
		for _, member := range m {
			ok = ok && isString(member)
		}
		return ok
	},
}

func isString(v any) bool { s, ok := v.(string); return ok && s != "" }

// checkSARIF returns what a value has against its type.
func checkSARIF(path, kind string, v any) (faults []string) {
	if of, ok := strings.CutPrefix(kind, "[]"); ok {
		list, isList := v.([]any)
		if !isList {
			return []string{path + " is no array"}
		}
		for i, element := range list {
			faults = append(faults, checkSARIF(fmt.Sprintf("%s/%d", path, i), of, element)...)
		}
		return faults
	}
	if valid := sarifScalars[kind]; valid != nil {
		if !valid(v) {
			return []string{fmt.Sprintf("%s is no %s: %v", path, kind, v)}
		}
		return nil
	}
	object, ok := v.(map[string]any)
	if !ok {
		return []string{path + " is no object"}
	}
	for _, name := range sarifSchema[kind].required {
		if _, there := object[name]; !there {
			faults = append(faults, path+" lacks "+name)
		}
	}
	for name, member := range object {
		of, known := sarifSchema[kind].members[name]
		if !known {
			faults = append(faults, path+" has a member "+name)
			continue
		}
		faults = append(faults, checkSARIF(path+"/"+name, of, member)...)
	}
	return faults
}

func readSARIF(t *testing.T, report *result.Report) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(render(t, "sarif", report, output.Options{}), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestSARIFFollowsItsSchema(t *testing.T) {
	for _, report := range []*result.Report{fixtureReport(t), {SchemaVersion: 1}} {
		for _, fault := range checkSARIF("", "log", readSARIF(t, report)) {
			t.Error(fault)
		}
	}
}

func results(doc map[string]any) (rules, results []any) {
	run := doc["runs"].([]any)[0].(map[string]any)
	return run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any), run["results"].([]any)
}

func TestSARIFResultsHaveTheirRule(t *testing.T) {
	report := fixtureReport(t)
	rules, found := results(readSARIF(t, report))
	seen := make(map[string]bool)
	for _, r := range found {
		result := r.(map[string]any)
		rule := rules[int(result["ruleIndex"].(float64))].(map[string]any)
		if rule["id"] != result["ruleId"] {
			t.Errorf("%s points at the rule %s", result["ruleId"], rule["id"])
		}
		if rule["help"].(map[string]any)["text"] == "" {
			t.Errorf("%s has no help", rule["id"])
		}
		print := result["partialFingerprints"].(map[string]any)["dshVerifyFinding/v1"].(string)
		if seen[print] {
			t.Errorf("two results have the fingerprint %s", print)
		}
		seen[print] = true
	}
	total := 0
	for _, log := range report.Logs {
		total += len(log.Findings)
	}
	if len(found) != total {
		t.Errorf("%d results for %d findings", len(found), total)
	}
}

func TestSARIFPointsAtTheLog(t *testing.T) {
	_, found := results(readSARIF(t, newReport(checked(t, "fixtures/tools-sequential/session.jsonl", "fixtures/drift/edited-message.jsonl"))))
	at := func(list any) string {
		p := list.([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		return fmt.Sprint(p["artifactLocation"].(map[string]any)["uri"], ":", p["region"].(map[string]any)["startLine"])
	}
	drift := found[0].(map[string]any)
	if got := at(drift["locations"]); got != "fixtures/tools-sequential/session.jsonl:26" {
		t.Errorf("the drift is at %s, not where the log holds the message", got)
	}
	if got := at(drift["relatedLocations"]); got != "fixtures/drift/edited-message.jsonl:2" {
		t.Errorf("the drift is related to %s, not to the recorded request", got)
	}
}

// TestSARIFFingerprintsStay checks that a finding keeps its fingerprint when the
// log moves and its line does.
func TestSARIFFingerprintsStay(t *testing.T) {
	one := &result.Log{File: "a.jsonl", Session: result.Session{ID: "ses"}}
	one.Add(finding.New(finding.AuditText, nil, finding.Place{Seq: 9, Line: 12}))
	two := &result.Log{File: "moved/b.jsonl.zstd", Session: result.Session{ID: "ses"}}
	two.Add(finding.New(finding.AuditText, nil, finding.Place{Seq: 9, Line: 10}))
	two.Add(finding.New(finding.AuditText, nil, finding.Place{Seq: 11, Line: 10}))
	print := func(log *result.Log, i int) any {
		_, found := results(readSARIF(t, newReport(log)))
		return found[i].(map[string]any)["partialFingerprints"].(map[string]any)["dshVerifyFinding/v1"]
	}
	if print(one, 0) != print(two, 0) {
		t.Error("it changed with the log's place")
	}
	if print(two, 0) == print(two, 1) {
		t.Error("two events have the same")
	}
}
