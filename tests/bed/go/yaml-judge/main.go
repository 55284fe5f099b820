// Command yaml-judge tells how Kubernetes reads YAML: a line of base64 text in, a line of JSON out.
//
// The text is cut into documents as kubectl cuts it, and each document is read by sigs.k8s.io/yaml.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"

	apiyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// reading is what one reader makes of one document: its JSON, or why it refuses it.
type reading struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Error string          `json:"error,omitempty"`
}

// verdict has the whole text read as one document, and the documents that kubectl finds in it.
type verdict struct {
	Strict    reading   `json:"strict"`
	Lenient   reading   `json:"lenient"`
	Documents []reading `json:"documents"`
	Error     string    `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		text, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(line)))
		if err != nil {
			panic(err)
		}
		if err := out.Encode(judge(text)); err != nil {
			panic(err)
		}
	}
}

func judge(text []byte) verdict {
	given := verdict{Strict: read(text, yaml.YAMLToJSONStrict), Lenient: read(text, yaml.YAMLToJSON)}
	documents := apiyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return given
		}
		if err != nil {
			given.Error = err.Error()
			return given
		}
		given.Documents = append(given.Documents, read(document, yaml.YAMLToJSONStrict))
	}
}

func read(text []byte, reader func([]byte) ([]byte, error)) reading {
	found, err := reader(text)
	if err != nil {
		return reading{Error: err.Error()}
	}
	return reading{JSON: found}
}
