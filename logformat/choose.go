package logformat

import (
	"fmt"
	"math"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// chooseVersion returns the version by which a log is read: the one that its header
// line states, or for want of that the one that its file's name states. A line that
// states none at all is read by the rules of the oldest, which then refuse it.
func chooseVersion(line headerLine, fileName string) (*Version, *Refusal) {
	number, stated := line.version()
	if !stated {
		named, _, _ := ParseFileName(fileName)
		if v := versionOf(float64(named)); v != nil {
			return v, nil
		}
		return versions[0], nil
	}
	if detail := otherGeneration(fileName, number, string(line.raw.Lookup("version"))); detail != "" {
		return nil, line.fault(CodeHeaderGeneration, PhaseVersion, detail)
	}
	if v := versionOf(number); v != nil {
		return v, nil
	}
	code := CodeVersionNewer
	if number < float64(versions[0].number) {
		code = CodeVersionOlder
	}
	return nil, line.fault(code, PhaseVersion, "the header says version "+string(line.value.Lookup("version")))
}

// versionOf returns the version with a number, nil when no format that is read has it.
func versionOf(number float64) *Version {
	for _, v := range versions {
		if float64(v.number) == number {
			return v
		}
	}
	return nil
}

// version returns the number that the line states. One beyond the doubles is printed
// as null.
func (l headerLine) version() (number float64, ok bool) {
	v := l.value.Lookup("version")
	if v.Kind() == ecmajson.Number {
		return v.Float()
	}
	raw := l.raw.Lookup("version")
	number, ok = raw.Float()
	return math.Inf(1), ok && math.IsInf(number, 0)
}

// otherGeneration says how the version of a file's name differs from the header's,
// "" where it does not. The releases whose files have a name without a number know no
// other name: of a version that nothing here reads, they see only that it is newer.
func otherGeneration(fileName string, version float64, text string) string {
	named, compressed, ok := ParseFileName(fileName)
	if !ok || float64(named) == version || named == unnumbered && versionOf(version) == nil {
		return ""
	}
	detail := fmt.Sprintf("the name says format %d and the header says version %s", named, text)
	if version >= 0 && version <= maxGeneration && version == math.Trunc(version) {
		detail += "; its own name would be " + FileName(int64(version), compressed)
	}
	return detail
}
