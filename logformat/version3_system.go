package logformat

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// earlySystem3 (V3-02): in format 3 a system/message has no members but those that it
// needs, and a plugin wrote it.
func earlySystem3(row *envelope) *Refusal {
	return earlySystem(row, true, isPluginSource)
}

// pluginForms are the forms of what a plugin put into the history.
var pluginForms = map[string]bool{"instructions": true, "catalog": true, "snapshot": true, "notice": true, "relay": true, "recall": true}

func isPluginSource(source ecmajson.Value) bool {
	if !onlyKeys(source, []string{"kind", "plugin"}, "form", "sections", "summary") ||
		!source.Lookup("kind").Is("plugin") || !nonEmptyString(source.Lookup("plugin")) {
		return false
	}
	form, sections, summary := source.Lookup("form"), source.Lookup("sections"), source.Lookup("summary")
	if form != nil && !pluginForms[form.Text()] {
		return false
	}
	if form.Is("snapshot") != (sections != nil) || form.Is("notice") != (summary != nil) {
		return false
	}
	return absentOr(sections, areSections) && absentOr(summary, func(v ecmajson.Value) bool { return v.Kind() == ecmajson.String })
}

func areSections(v ecmajson.Value) bool {
	if v.Kind() != ecmajson.Array {
		return false
	}
	for section := range v.Elements() {
		if !onlyKeys(section, []string{"name", "text"}) || section.Lookup("name").Kind() != ecmajson.String || section.Lookup("text").Kind() != ecmajson.String {
			return false
		}
	}
	return true
}
