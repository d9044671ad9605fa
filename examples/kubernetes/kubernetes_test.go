// Package kubernetes holds the manifests of this folder to the API of Kubernetes. It
// is a module of its own, so that weft does not depend on that.
package kubernetes

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// objects reads the documents of a file, strictly, as what they say they are.
func objects(t *testing.T, path string) []any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []any
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var kind struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var object any
		switch kind.APIVersion + " " + kind.Kind {
		case "batch/v1 Job":
			object = new(batchv1.Job)
		case "apps/v1 Deployment":
			object = new(appsv1.Deployment)
		case "v1 Service":
			object = new(corev1.Service)
		case "v1 PersistentVolumeClaim":
			object = new(corev1.PersistentVolumeClaim)
		default:
			t.Fatalf("%s: %+v is not known here", path, kind)
		}
		if err := yaml.UnmarshalStrict(document, object); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		list = append(list, object)
	}
	return list
}

// pod returns what an object runs, if anything.
func pod(object any) (corev1.PodSpec, bool) {
	switch o := object.(type) {
	case *batchv1.Job:
		return o.Spec.Template.Spec, true
	case *appsv1.Deployment:
		return o.Spec.Template.Spec, true
	}
	return corev1.PodSpec{}, false
}

func TestManifests(t *testing.T) {
	paths, err := filepath.Glob("*.yaml")
	if err != nil || len(paths) != 3 {
		t.Fatalf("found %v, %v", paths, err)
	}
	for _, path := range paths {
		for _, object := range objects(t, path) {
			if d, ok := object.(*appsv1.Deployment); ok {
				for key, value := range d.Spec.Selector.MatchLabels {
					if d.Spec.Template.Labels[key] != value {
						t.Errorf("%s: %s does not select its own pods", path, d.Name)
					}
				}
			}
			spec, ok := pod(object)
			if !ok {
				continue
			}
			for _, c := range spec.Containers {
				for _, m := range c.VolumeMounts {
					if !slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
						t.Errorf("%s: %s mounts %s, which is no volume of its", path, c.Name, m.Name)
					}
				}
			}
		}
	}
}

// TestShards: the number of shards is in two places.
func TestShards(t *testing.T) {
	for _, object := range objects(t, "study.yaml") {
		job, ok := object.(*batchv1.Job)
		if !ok {
			continue
		}
		if job.Spec.CompletionMode == nil || *job.Spec.CompletionMode != batchv1.IndexedCompletion {
			t.Error("the job is not indexed")
		}
		want := fmt.Sprintf("--shard=$(JOB_COMPLETION_INDEX)/%d", *job.Spec.Completions)
		container := job.Spec.Template.Spec.Containers[0]
		if !slices.Contains(container.Args, want) {
			t.Errorf("no argument is %s: %s", want, strings.Join(container.Args, " "))
		}
		for _, rule := range job.Spec.PodFailurePolicy.Rules {
			if rule.OnExitCodes != nil && *rule.OnExitCodes.ContainerName != container.Name {
				t.Errorf("a rule is for the container %s", *rule.OnExitCodes.ContainerName)
			}
		}
		if job.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
			t.Error("rules about exit codes need restartPolicy: Never")
		}
		return
	}
	t.Error(io.ErrUnexpectedEOF)
}
