package provider

import (
	"mime"
	"net/http"
	"regexp"
	"strings"
)

// What is stored of a request besides its body is what this file knows by name, never
// what a list of secrets does not know: a path, a name or a parameter that nobody thought
// of may be a key.

// withheld takes the place of what is not stored.
const withheld = "[withheld]"

// pathWords are the segments of the paths that providers and gateways have.
var pathWords = set("api anthropic apps beta chat completions deepseek deployments inference llm messages model models openai proxy responses")

// version is a segment as v1, v1beta or v2-alpha.
var version = regexp.MustCompile(`^v[0-9]{1,2}((-?)(alpha|beta)[0-9]?)?$`)

// storedPath returns a path with every segment that is no known word withheld.
func storedPath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if s != "" && !pathWords[s] && !version.MatchString(s) {
			segments[i] = withheld
		}
	}
	return strings.Join(segments, "/")
}

// products are the programs that post requests of a harness.
var products = set("bun curl deepseek-harness deno dsh dsh-verify go-http-client node node-fetch openai python-requests undici axios")

// productToken is a known product's name and its version.
var productToken = regexp.MustCompile(`^([A-Za-z-]+)(/v?[0-9]{1,4}(\.[0-9]{1,5}){0,3}(-(alpha|beta|rc|dev|canary|next)(\.?[0-9]{1,4})?)?)?$`)

// storedAgent returns the products of a user agent that are known; comments and all else
// are withheld.
func storedAgent(agent string) string {
	words := strings.Fields(agent)
	for i, word := range words {
		m := productToken.FindStringSubmatch(word)
		if m == nil || !products[strings.ToLower(m[1])] {
			words[i] = withheld
		}
	}
	return strings.Join(compact(words), " ")
}

// compact makes one of withheld words in a row.
func compact(words []string) []string {
	var out []string
	for _, word := range words {
		if word == withheld && len(out) > 0 && out[len(out)-1] == withheld {
			continue
		}
		out = append(out, word)
	}
	return out
}

var (
	mediaTypes = set("application/json text/plain text/json application/octet-stream application/x-www-form-urlencoded multipart/form-data")
	charsets   = set("utf-8 utf8 us-ascii iso-8859-1 utf-16")
	codings    = set("gzip x-gzip deflate br zstd identity compress")
	number     = regexp.MustCompile(`^[0-9]{1,19}$`)
)

// storedType returns a media type that is known, and its charset if that is known.
func storedType(value string) string {
	kind, params, err := mime.ParseMediaType(value)
	if err != nil && kind == "" || !mediaTypes[kind] {
		return withheld
	}
	charset := strings.ToLower(params["charset"])
	switch {
	case len(params) == 0:
		return kind
	case len(params) == 1 && charsets[charset]:
		return kind + "; charset=" + charset
	case charsets[charset]:
		return kind + "; charset=" + charset + "; " + withheld
	}
	return kind + "; " + withheld
}

// storedCoding returns content codings; one that is not known is withheld, so that a
// reader still knows that the body has one.
func storedCoding(value string) string {
	list := strings.Split(strings.ToLower(value), ",")
	for i, coding := range list {
		if list[i] = strings.TrimSpace(coding); !codings[list[i]] {
			list[i] = withheld
		}
	}
	return strings.Join(list, ", ")
}

// secret is how the keys and tokens that services hand out look, and what is around a
// credential in a header.
var secret = regexp.MustCompile(`^(sk|pk|rk)[-_]|^(?i:bearer|basic|token)\s|(?i:key|token|secret|passw(or)?d|auth(orization)?)\s*[=:]|` +
	`gh[pousr]_\w{16}|github_pat_|glpat-|xox[abprs]-|hf_\w{16}|npm_\w{16}|AKIA[0-9A-Z]{12}|AIza[\w-]{16}|eyJ[\w-]{8,}\.|-----BEGIN`)

// storedSession returns a session's id, which tells a body's session; none that looks as
// a credential does is stored.
func storedSession(id string) string {
	if len(id) > 256 || secret.MatchString(id) {
		return ""
	}
	return id
}

// storedHeaders returns what is stored of a request's headers.
func storedHeaders(h http.Header) map[string]string {
	stored := make(map[string]string)
	for name, store := range map[string]func(string) string{
		"content-type":     storedType,
		"content-encoding": storedCoding,
		"content-length": func(v string) string {
			if number.MatchString(v) {
				return v
			}
			return withheld
		},
		"user-agent":                    storedAgent,
		"x-deepseek-harness-session-id": storedSession,
		"x-deepseek-harness-compact": func(v string) string {
			if v == "1" {
				return v
			}
			return withheld
		},
	} {
		if v := h.Get(name); v != "" {
			if v = store(v); v != "" {
				stored[name] = v
			}
		}
	}
	return stored
}

func set(list string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
