package verify_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
)

// TestExtensions compares bodies as a default installation of release 0.1.2 posts them,
// and what may have become of the members after their last.
func TestExtensions(t *testing.T) {
	known := []finding.Code{finding.CaptureExtension, finding.CaptureSessionLog}
	for _, c := range []struct {
		name     string
		old, new string
		verdict  finding.Verdict
		codes    []finding.Code
	}{
		{"as they were posted", `{"version"`, `{"version"`, finding.Verified, known},
		{"one that nobody knows", `,"dsh_session_log":`, `,"user":"x","dsh_session_log":`, finding.Verified, append([]finding.Code{finding.CaptureExtensionForeign}, known...)},
		{"printed otherwise", `"dsh_plugin_packages":{"version":1`, `"dsh_plugin_packages":{"version": 1`, finding.Verified, append([]finding.Code{finding.CaptureExtensionSpelling}, known...)},
		{"an event of the log", `"text":"One."`, `"text":"Two."`, finding.Verified, append([]finding.Code{finding.CaptureSessionLogDiffers}, known...)},
		{"the request", `"content":"One."`, `"content":"Two."`, finding.Drift, append([]finding.Code{finding.CaptureDrift}, known...)},
		{"the time of an event", `"seq":0,"time":17962872891`, `"seq":0,"time":17962872892`, finding.Verified, append([]finding.Code{finding.CaptureSessionLogDiffers}, known...)},
		{"fewer events", `"throughSeq":6`, `"throughSeq":5`, finding.Verified, append([]finding.Code{finding.CaptureSessionLogDiffers}, known...)},
		{"another start", `"afterSeq":-1`, `"afterSeq":-2`, finding.Verified, append([]finding.Code{finding.CaptureSessionLogDiffers}, known...)},
		{"another session", `"session":{"version":0,"id":"ses-extensions-on-01"`, `"session":{"version":0,"id":"ses-extensions-on-02"`, finding.Verified, append([]finding.Code{finding.CaptureSessionLogDiffers}, known...)},
		{"a member more in it", `"afterSeq":-1`, `"more":1,"afterSeq":-1`, finding.Verified, append([]finding.Code{finding.CaptureSessionLogDiffers}, known...)},
		{"in the middle", `"stream":true,`, `"dsh_session_log":1,"stream":true,`, finding.Drift, append([]finding.Code{finding.CaptureDrift}, known...)},
		{"a member of the body after them", `,"dsh_plugin_packages":`, `,"temperature":2,"dsh_plugin_packages":`, finding.Drift, append([]finding.Code{finding.CaptureDrift}, known...)},
	} {
		har := harCase{t: t, dir: filepath.Join(fixtures, "late-extensions"), edit: func(file string, body []byte) []byte {
			if file != "0001.json" {
				return body
			}
			if !bytes.Contains(body, []byte(c.old)) {
				t.Fatalf("%s: %q is not there", c.name, c.old)
			}
			return bytes.Replace(body, []byte(c.old), []byte(c.new), 1)
		}}
		log := againstCapture(t, "late-extensions", har.write())
		var codes []finding.Code
		for _, code := range codesOf(log) {
			if code.Is("capture") && code != finding.CaptureLength { // which follows from an edit of another length
				codes = append(codes, code)
			}
		}
		slices.SortFunc(c.codes, func(a, b finding.Code) int { return strings.Compare(a.String(), b.String()) })
		if log.Verdict != c.verdict || !slices.Equal(codes, c.codes) {
			t.Errorf("%s: %s with %v, want %s with %v", c.name, log.Verdict, codes, c.verdict, c.codes)
		}
	}
}

// TestSessionLogEvents checks that each event that a body carries is compared: whatever
// is changed in one is named by its number.
func TestSessionLogEvents(t *testing.T) {
	har := harCase{t: t, dir: filepath.Join(fixtures, "late-extensions"), edit: func(file string, body []byte) []byte {
		if file != "0002.json" {
			return body
		}
		at := bytes.Index(body, []byte(`"seq":9,"time":`))
		if at < 0 {
			t.Fatal("no event 9")
		}
		return append(append(bytes.Clone(body[:at]), `"seq":9,"time":1`...), body[at+len(`"seq":9,"time":`):]...)
	}}
	log := againstCapture(t, "late-extensions", har.write())
	for _, f := range log.Findings {
		if f.Code == finding.CaptureSessionLogDiffers && f.Place.Seq == 9 {
			return
		}
	}
	t.Errorf("findings are %+v", log.Findings)
}

// TestRootOfAttachments checks that all pictures of a log lie in one folder, which the
// first body tells and which is named.
func TestRootOfAttachments(t *testing.T) {
	for _, c := range []struct {
		name, file string
		verdict    finding.Verdict
	}{
		{"none", "", finding.Unverifiable}, // no store is given
		{"the last", "0004.json", finding.Drift},
	} {
		har := harCase{t: t, dir: filepath.Join(fixtures, "late-images-paths"), edit: func(file string, body []byte) []byte {
			if file == c.file {
				return bytes.Replace(body, []byte(`/home/ada/`), []byte(`/home/eve/`), 1)
			}
			return body
		}}
		log := againstCapture(t, "late-images-paths", har.write())
		if log.Verdict != c.verdict {
			t.Errorf("%s: %s, %+v", c.name, log.Verdict, log.Findings)
		}
		named := slices.ContainsFunc(log.Findings, func(f finding.Finding) bool {
			return f.Code == finding.CaptureAssumed && bytes.Contains([]byte(f.Message()), []byte("attachments-root = /home/ada/"))
		})
		if !named {
			t.Errorf("%s: no finding names the folder: %+v", c.name, log.Findings)
		}
	}
}
