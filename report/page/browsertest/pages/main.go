// Command pages writes made-up pages, or pages of folders that weft run wrote, for looking
// at them:
//
//	go run ./pages -out pages-to-see [FOLDER…]
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"weft/record"
	"weft/report/page"
	"weft/report/page/internal/pagetest"
)

func main() {
	out := flag.String("out", "pages", "folder to write to")
	flag.Parse()
	if err := os.MkdirAll(*out, 0o755); err != nil {
		log.Fatal(err)
	}
	reports := map[string]*page.Report{}
	if flag.NArg() == 0 {
		reports = map[string]*page.Report{
			"comparison": pagetest.Comparison(5), "study": pagetest.Study(5), "hostile": pagetest.Hostile(), "large": pagetest.Large(),
		}
	}
	for _, dir := range flag.Args() {
		r, err := load(dir)
		if err != nil {
			log.Fatal(err)
		}
		reports[filepath.Base(dir)] = r
	}
	for name, r := range reports {
		path := filepath.Join(*out, name+".html")
		f, err := os.Create(path)
		if err != nil {
			log.Fatal(err)
		}
		if err := page.Write(f, r); err != nil {
			log.Fatal(err)
		}
		size, err := f.Seek(0, 1)
		if err != nil {
			log.Fatal(err)
		}
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d kB\n", path, size/1000)
	}
}

// load reads the variants in a folder.
func load(dir string) (*page.Report, error) {
	variants, err := record.Variants(dir)
	if err != nil {
		return nil, err
	}
	r := &page.Report{Title: filepath.Base(dir), Commands: []string{"weft report " + dir}}
	for _, v := range variants {
		result, err := record.ReadFolder(v.Folder)
		if err != nil {
			return nil, err
		}
		r.Variants = append(r.Variants, page.Variant{Name: v.Name, Runs: []*page.Reduced{page.Reduce(result, page.Options{})}})
	}
	return r, nil
}
