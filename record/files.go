package record

// The files of a run folder.
const (
	manifestFile  = "manifest.json"
	summaryFile   = "summary.json"
	flowsFile     = "flows.parquet"
	portsFile     = "ports.parquet"
	seriesFile    = "series.parquet"
	faultsFile    = "faults.parquet"
	nodesFile     = "nodes.parquet"
	snapshotsFile = "snapshots.parquet"
	pausesFile    = "pauses.parquet"

	ranksFile       = "ranks.parquet"
	activitiesFile  = "activities.parquet"
	collectivesFile = "collectives.parquet"
	// comparisonFile makes a folder one of several runs.
	comparisonFile = "run.json"

	// FiguresFolder is where figures belong, inside the folder that they show.
	FiguresFolder = "figures"
	// ReportFile is the report's name, in the folder that it shows.
	ReportFile = "report.html"
)
