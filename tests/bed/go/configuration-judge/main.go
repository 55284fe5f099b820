// Command configuration-judge tells what Kueue makes of its manager's Configuration: a line of base64 text in, a line of
// JSON out.
//
// It loads the text as the manager does: strictly decoded, defaulted, converted to its own form, validated.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"sigs.k8s.io/kueue/apis/config/v1beta1"
	"sigs.k8s.io/kueue/apis/config/v1beta2"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"
	_ "sigs.k8s.io/kueue/pkg/features"
)

// verdict is what is in effect, or why the manager would not start.
type verdict struct {
	Effective *v1beta2.Configuration `json:"effective,omitempty"`
	Error     string                 `json:"error,omitempty"`
}

func main() {
	scheme := known()
	folder, err := os.MkdirTemp("", "configuration-judge-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
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
		if err := out.Encode(judge(scheme, filepath.Join(folder, "configuration.yaml"), text)); err != nil {
			panic(err)
		}
	}
}

func known() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1beta1.AddToScheme(scheme))
	utilruntime.Must(v1beta2.AddToScheme(scheme))
	utilruntime.Must(jobframework.ForEachIntegration(func(_ string, integration jobframework.IntegrationCallbacks) error {
		if integration.AddToScheme == nil {
			return nil
		}
		return integration.AddToScheme(scheme)
	}))
	return scheme
}

func judge(scheme *runtime.Scheme, path string, text []byte) verdict {
	if err := os.WriteFile(path, text, 0o600); err != nil {
		panic(err)
	}
	_, found, err := config.Load(scheme, path)
	if err == nil {
		err = utilfeature.DefaultMutableFeatureGate.DeepCopy().SetFromMap(found.FeatureGates)
	}
	if err != nil {
		return verdict{Error: err.Error()}
	}
	return verdict{Effective: &found}
}
