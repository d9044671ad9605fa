// Package data embeds the tables of message sizes that scenarios can call by name.
package data

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed wka.csv
var wka string

//go:embed wkb.csv
var wkb string

//go:embed wkc.csv
var wkc string

//go:embed websearch.csv
var webSearch string

//go:embed websearch20.csv
var webSearch20 string

//go:embed facebook-hadoop.csv
var hadoop string

//go:embed facebook-cachefollower.csv
var cacheFollower string

//go:embed facebook-webserver.csv
var webServer string

// Workload is a published table of sizes.
type Workload struct {
	// Name is what scenarios call it; Aliases are other names that they can say.
	Name    string
	Aliases []string
	// About is what it is, Source where its table comes from.
	About, Source string
	Table         string
	// Rule is how its set-up draws between two rows: step, linear or log.
	Rule string
	// Mean is the mean in bytes with which its evaluation turns a load into a rate of
	// messages; 0 is that of the rule.
	Mean float64
}

const (
	step   = "step"
	linear = "linear"
	log    = "log"

	homaSim = "HomaSimulation"
	hpcc    = "HPCC, SIGCOMM 2019, traffic_gen"
	sird    = "SIRD, NSDI 2025, §6.2; its simulator"
)

// Workloads returns all tables, in the order of lists.
//
// The means of wka, wkb and wkc are those of SIRD's scripts, which are not those of the
// logarithmic rule by which they draw: what is offered is 1.3 % below the stated load with
// wka, 0.1 % with wkb and 1.5 % with wkc. They also cut sizes down to whole bytes and lift
// those below 4 to 4, where a CDF rounds: of wka 6.5 % of the messages have 3 bytes here.
//
// FatPaths (§VII-A4) draws from pFabric's web search in 20 sizes with a mean of 1 MB and does not
// print them. websearch20 cuts websearch into 20 parts of 5 % of the messages each, takes the mean
// of each part, and scales all by 1 MB over the mean.
func Workloads() []Workload {
	return []Workload{
		{Name: "websearch", Aliases: []string{"web-search"}, About: "web search, 12 points", Source: "DCTCP, SIGCOMM 2010; " + hpcc, Table: webSearch, Rule: linear},
		{Name: "hadoop", Aliases: []string{"facebook-hadoop", "fbhadoop"}, About: "Facebook Hadoop, 20 points", Source: "Roy et al., SIGCOMM 2015; " + hpcc, Table: hadoop, Rule: linear},
		{Name: "cachefollower", Aliases: []string{"facebook-cachefollower", "cache-follower"}, About: "Facebook cache follower, inside a cluster", Source: "Roy et al., SIGCOMM 2015; " + homaSim, Table: cacheFollower, Rule: step},
		{Name: "webserver", Aliases: []string{"facebook-webserver", "web-server"}, About: "Facebook web server, inside a cluster", Source: "Roy et al., SIGCOMM 2015; " + homaSim, Table: webServer, Rule: step},
		{Name: "wka", Aliases: []string{"google", "w3"}, About: "Google RPCs, all applications: SIRD's WKa, Homa's W3", Source: sird, Table: wka, Rule: log, Mean: 2927.354},
		{Name: "wkb", Aliases: []string{"w4"}, About: "Facebook Hadoop, all traffic: SIRD's WKb, Homa's W4", Source: sird, Table: wkb, Rule: log, Mean: 121848},
		{Name: "wkc", Aliases: []string{"w5"}, About: "web search, 400 points: SIRD's WKc, Homa's W5", Source: sird, Table: wkc, Rule: log, Mean: 2515857.4},
		{Name: "websearch20", Aliases: []string{"web-search-20", "fatpaths"}, About: "web search in 20 equally likely sizes with a mean of 1 MB", Source: "FatPaths, SC 2020, §VII-A4; the sizes are weft's choice", Table: webSearch20, Rule: step},
	}
}

// Find returns the workload of a name or an alias, whatever the case.
func Find(name string) (w Workload, ok bool) {
	name = strings.ToLower(name)
	all := Workloads()
	i := slices.IndexFunc(all, func(w Workload) bool { return w.Name == name || slices.Contains(w.Aliases, name) })
	if i < 0 {
		return w, false
	}
	return all[i], true
}
