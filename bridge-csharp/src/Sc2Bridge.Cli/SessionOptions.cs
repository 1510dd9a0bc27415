using System.Globalization;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Cli;

/// <summary>What a command was asked for that streams to agents, whatever it streams.</summary>
internal sealed record SessionOptions
{
    /// <summary>The Python agents to start.</summary>
    public required IReadOnlyList<AgentSpec> Agents { get; init; }

    /// <summary>The policy of the started agents: every, latest or lockstep.</summary>
    public required string Policy { get; init; }

    /// <summary>Who may connect.</summary>
    public required AccessOptions Access { get; init; }

    /// <summary>The side of a started agent that names none.</summary>
    public uint FirstSide { get; init; } = 1;

    /// <summary>How many subscribers of others to wait for before the first step.</summary>
    public int WaitFor { get; init; }

    /// <summary>The interpreter for the agents; null for the one that was set up.</summary>
    public string? Python { get; init; }

    /// <summary>Variables of the environment that started agents get beside the usual ones.</summary>
    public IReadOnlyList<string> AgentVariables { get; init; } = [];

    /// <summary>Where the logs go.</summary>
    public required string OutputFolder { get; init; }

    /// <summary>Whether another folder is taken, with a number behind its name, where that one is taken.</summary>
    public bool MayNumberFolder { get; init; }

    /// <summary>The user's part of the hub's options.</summary>
    public required HubOptions Hub { get; init; }

    /// <summary>The user's part of the servers' options.</summary>
    public required BridgeServerOptions Server { get; init; }

    public string GrpcAddress => Server.GrpcAddress!;

    /// <summary>The address of the WebSocket server.</summary>
    public string WebAddress => Server.WebAddress!;

    /// <summary>Whether a browser is opened at the page.</summary>
    public bool OpensPage { get; init; }

    /// <summary>How long a started agent may take to subscribe.</summary>
    public required TimeSpan AgentDeadline { get; init; }

    /// <summary>What the step log measures.</summary>
    public CodecLog CodecLog { get; init; }

    /// <summary>The least level that goes to the log file.</summary>
    public LogLevel LogLevel { get; init; } = LogLevel.Information;

    /// <summary>Which games of a series keep their files.</summary>
    public Retention Retention { get; init; } = new();

    /// <summary>Where the recording goes; null for none.</summary>
    public string? RecordingFile { get; init; }

    /// <summary>The broker that gets the match too; null for none.</summary>
    public PublishOptions? Publish { get; init; }

    /// <summary>Where the summary goes as JSON as well; null for the output folder only.</summary>
    public string? JsonFile { get; init; }

    /// <summary>Where a match's recording goes if nothing is said.</summary>
    public static string UsualRecording(string folder) => Path.Combine(folder, "match.mcap");

    /// <summary>Refuses files that are named to be two things.</summary>
    /// <exception cref="CommandException">One is.</exception>
    public void CheckFiles()
    {
        if (JsonFile is not null && Path.GetExtension(JsonFile).Equals(".mcap", StringComparison.OrdinalIgnoreCase))
        {
            throw new CommandException($"--json {JsonFile}: that is a recording's name: write another, as summary.json");
        }

        if (JsonFile is not null && OutputPath.LinkProblem(JsonFile) is { } problem)
        {
            throw new CommandException($"--json {problem}");
        }

        Check("--json", JsonFile, "summary.json");
        Check("--recording", RecordingFile, "match.mcap");
        if (JsonFile is not null && Path.GetDirectoryName(Path.GetFullPath(JsonFile)) is { } folder
            && folder != Path.GetFullPath(OutputFolder) && !Directory.Exists(folder))
        {
            throw new CommandException($"--json {JsonFile}: there is no such folder: write another file");
        }

        void Check(string option, string? file, string usual)
        {
            if (file is not null && Sc2Bridge.Cli.OutputFolder.MatchFiles.Append("bridge.log").Any(name =>
                name != usual && Path.GetFullPath(file) == Path.GetFullPath(Path.Combine(OutputFolder, name))))
            {
                throw new CommandException($"{option} {file}: the match itself writes that file: write another");
            }
        }
    }

    /// <summary>The same in another output folder.</summary>
    public SessionOptions In(string folder) => this with
    {
        OutputFolder = folder,
        RecordingFile = RecordingFile == UsualRecording(OutputFolder) ? UsualRecording(folder) : RecordingFile,
    };

    /// <summary>A folder for what a command leaves that begins now.</summary>
    public static string FolderFor(string command, DateTime begin) =>
        Path.Combine("out", $"{command}-{begin.ToString("yyyyMMdd'-'HHmmss", CultureInfo.InvariantCulture)}");
}
