using System.Globalization;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Cli;

/// <summary>The options of a command that streams to agents, for any kind of match.</summary>
internal sealed record SessionOptions
{
    /// <summary>The Python agents to start.</summary>
    public required IReadOnlyList<AgentSpec> Agents { get; init; }

    /// <summary>The policy of the started agents: every, latest or lockstep.</summary>
    public required string Policy { get; init; }

    /// <summary>The access control.</summary>
    public required AccessOptions Access { get; init; }

    /// <summary>The side of a started agent that does not name a side.</summary>
    public uint FirstSide { get; init; } = 1;

    /// <summary>How many other subscribers to wait for before the first step.</summary>
    public int WaitFor { get; init; }

    /// <summary>The Python interpreter for the agents; null for the installed interpreter.</summary>
    public string? Python { get; init; }

    /// <summary>More environment variables that started agents get.</summary>
    public IReadOnlyList<string> AgentVariables { get; init; } = [];

    /// <summary>The output folder, with the logs.</summary>
    public required string OutputFolder { get; init; }

    /// <summary>Whether to add a number to the folder name if the folder is in use.</summary>
    public bool MayNumberFolder { get; init; }

    /// <summary>The options of the hub that the user can set.</summary>
    public required HubOptions Hub { get; init; }

    /// <summary>The options of the servers that the user can set.</summary>
    public required BridgeServerOptions Server { get; init; }

    /// <summary>The address of the gRPC server.</summary>
    public string GrpcAddress => Server.GrpcAddress!;

    /// <summary>The address of the WebSocket server.</summary>
    public string WebAddress => Server.WebAddress!;

    /// <summary>Whether a browser is opened at the page.</summary>
    public bool OpensPage { get; init; }

    /// <summary>How long a started agent may take to subscribe.</summary>
    public required TimeSpan AgentDeadline { get; init; }

    /// <summary>What the step log measures.</summary>
    public CodecLog CodecLog { get; init; }

    /// <summary>The minimum level of the log file.</summary>
    public LogLevel LogLevel { get; init; } = LogLevel.Information;

    /// <summary>Which games of a series keep their files.</summary>
    public Retention Retention { get; init; } = new();

    /// <summary>The path of the recording; null to record nothing.</summary>
    public string? RecordingFile { get; init; }

    /// <summary>Which matches leave a post-mortem.</summary>
    public PostMortemMode PostMortem { get; init; } = PostMortemMode.Never;

    /// <summary>How to publish the match to a broker; null to publish nothing.</summary>
    public PublishOptions? Publish { get; init; }

    /// <summary>More files for the summary as JSON; <c>-</c> is standard output.</summary>
    public IReadOnlyList<string> JsonFiles { get; init; } = [];

    /// <summary>Whether events as JSON go to standard output, instead of tables.</summary>
    public bool PrintsEvents => JsonFiles.Any(ResultFile.IsStandardOutputName);

    /// <summary>The default file of a match's recording.</summary>
    public static string DefaultRecording(string folder) => Path.Combine(folder, "match.mcap");

    /// <summary>Refuses a file that is named for two outputs.</summary>
    /// <exception cref="CommandException">A file has the name of another output, or cannot be written.</exception>
    public void CheckFiles()
    {
        foreach (var file in JsonFiles)
        {
            if (Path.GetExtension(file).Equals(".mcap", StringComparison.OrdinalIgnoreCase))
            {
                throw new CommandException($"--json {file}: this is the name of a recording: name another file, such as summary.json");
            }

            if (Path.GetFullPath(file) == Path.GetFullPath(OutputFolder))
            {
                throw new CommandException($"--json {file}: this is the output folder: name a file in it");
            }

            // A file in the output folder is not opened for this check, because the folder is created later.
            if (Path.GetDirectoryName(Path.GetFullPath(file)) != Path.GetFullPath(OutputFolder))
            {
                ResultFile.Open(file)?.Dispose();
            }

            Check("--json", file, "summary.json");
        }

        Check("--recording", RecordingFile, "match.mcap");
        void Check(string option, string? file, string usual)
        {
            if (file is not null && Sc2Bridge.Cli.OutputFolder.MatchFiles.Append(BridgeLog.FileName).Any(name =>
                name != usual && Path.GetFullPath(file) == Path.GetFullPath(Path.Combine(OutputFolder, name))))
            {
                throw new CommandException($"{option} {file}: the match itself writes that file: name another file");
            }
        }
    }

    /// <summary>The same options with another output folder.</summary>
    public SessionOptions InFolder(string folder) => this with
    {
        OutputFolder = folder,
        RecordingFile = RecordingFile == DefaultRecording(OutputFolder) ? DefaultRecording(folder) : RecordingFile,
    };

    /// <summary>The default output folder of a command that starts now.</summary>
    public static string FolderFor(string command, DateTime begin) =>
        Path.Combine("out", $"{command}-{begin.ToString("yyyyMMdd'-'HHmmss", CultureInfo.InvariantCulture)}");
}
