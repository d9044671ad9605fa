package record

// Files of a run folder.
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
	// comparisonFile is the file that makes a folder one with several runs.
	comparisonFile = "run.json"

	// FiguresFolder is the folder for figures, inside the folder that they show.
	FiguresFolder = "figures"
	// ReportFile is the name of the report, in the folder that it shows.
	ReportFile = "report.html"
)
