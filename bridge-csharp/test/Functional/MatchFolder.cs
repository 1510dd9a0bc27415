using System.Diagnostics;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A temporary folder for one test's matches and their logs.</summary>
internal sealed class MatchFolder : IDisposable
{
    private const string MatchOut = "out";

    private static readonly Lazy<string> _python = new(() =>
    {
        var setUp = System.IO.Path.Combine(PeerEnvironment.RepositoryRoot, ".venv", "bin", "python");
        return File.Exists(setUp) ? setUp : "python3";
    });

    private readonly long _made = Stopwatch.GetTimestamp();

    /// <summary>Its path; the match's own is <see cref="Out"/>.</summary>
    public string Path { get; } = Directory.CreateTempSubdirectory("sc2bridge-functional-").FullName;

    /// <summary>Where the match leaves its logs.</summary>
    public string Out => System.IO.Path.Combine(Path, MatchOut);

    /// <summary>A match on free ports. The default is the simulated game.</summary>
    public BridgeProcess Match(params IEnumerable<string> more) => Match(more, []);

    /// <summary>A match with variables in its environment.</summary>
    /// <param name="more">Its options.</param>
    /// <param name="environment">The variables.</param>
    /// <param name="wrapper">The words of a program that starts it. The match's own words follow.</param>
    public BridgeProcess Match(
        IEnumerable<string> more, IEnumerable<(string Name, string Value)> environment,
        params IReadOnlyList<string> wrapper)
    {
        List<string> words = ["match", .. more];
        if (!words.Contains("--game") && !words.Contains("--attach"))
        {
            words.AddRange(["--game", "simulated"]);
        }

        return Start(words, Out, environment, wrapper);
    }

    /// <summary>A recording played on free ports, which leaves its logs in the folder <c>replay</c>.</summary>
    public BridgeProcess Replay(
        string recording, IEnumerable<string> more, params IEnumerable<(string Name, string Value)> environment) =>
        Start(["replay", recording, .. more], System.IO.Path.Combine(Path, "replay"), environment, []);

    /// <summary>Runs a match to its end.</summary>
    public async Task<Ended> PlayAsync(params string[] more)
    {
        using var match = Match(more);
        return await match.EndAsync();
    }

    /// <summary>The Python that the agents run on.</summary>
    public static string Python => _python.Value;

    /// <summary>The rows of steps.csv, also of a program that was killed. Every row must be complete.</summary>
    /// <param name="of">The subfolder; null for the match's.</param>
    public LogTable Steps(string of = MatchOut)
    {
        var file = System.IO.Path.Combine(Path, of, "steps.csv");
        return LogTable.Read(File.Exists(file) ? file : file + ".partial");
    }

    /// <summary>The rows of agents.csv. Every row must be complete.</summary>
    public LogTable Agents() => LogTable.Read(System.IO.Path.Combine(Out, "agents.csv"));

    /// <summary>Expects these agents. Each must have received every step, and reported complete, plausible times.</summary>
    public void AgentsHeard(params string[] names)
    {
        var log = Agents();
        Assert.Equal(["step", "agent", "transport", "delivered_us", "decode_us", "think_us", "actions"], log.Columns);
        var steps = Steps().Rows.Select(row => row["step"]);
        Assert.Equal(names.Order(), log.Rows.Select(row => row["agent"]).Distinct().Order());
        foreach (var rows in log.Rows.GroupBy(row => row["agent"]))
        {
            Assert.Equal(steps, rows.Select(row => row["step"]));
            Assert.All(rows, row => Assert.Equal(rows.Key.EndsWith("json") ? "ws.json" : rows.Key.Split('-')[^1], row["transport"]));
            foreach (var column in log.Columns.Skip(3).Take(3))
            {
                // No step can take longer than its match.
                Assert.All(rows, row => Assert.InRange(
                    LogTable.Number(row, column) ?? -1, 0, Stopwatch.GetElapsedTime(_made).TotalMicroseconds));
            }
        }
    }

    /// <summary>How many lines steps.csv has by now; a program still writes it.</summary>
    public int StepsSoFar(string of = MatchOut)
    {
        var file = System.IO.Path.Combine(Path, of, "steps.csv");
        foreach (var name in (string[])[file + ".partial", file])
        {
            try
            {
                using var reader = new StreamReader(new FileStream(name, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
                return Math.Max(0, reader.ReadToEnd().Count(letter => letter == '\n') - 1);
            }
            catch (IOException)
            {
                // It does not exist yet, or no longer.
            }
        }

        return 0;
    }

    private static BridgeProcess Start(
        List<string> words, string folder, IEnumerable<(string Name, string Value)> environment,
        IReadOnlyList<string> wrapper)
    {
        Preset("--grpc", "127.0.0.1:0");
        Preset("--web", "127.0.0.1:0");
        Preset("--out", folder);
        Preset("--python", _python.Value);
        words.AddRange(environment.SelectMany(variable => new[] { "--agent-env", variable.Name }));
        if (!words.Contains("--agent") && !words.Contains("--no-agents"))
        {
            words.Add("--no-agents");
        }

        return BridgeProcess.Start([.. wrapper, .. BridgeProcess.Program, .. words], environment);

        void Preset(string option, string value)
        {
            if (!words.Contains(option))
            {
                words.AddRange([option, value]);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(Path, recursive: true);
}

/// <summary>Tests that play matches in a folder of their own.</summary>
public abstract class MatchFolderTests : IDisposable
{
    private protected MatchFolder Folder { get; } = new();

    public void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
