using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Functional.Tests;

/// <summary>How a program ended, and its output.</summary>
/// <param name="ExitCode">128 plus the signal's number if it was killed.</param>
/// <param name="Output">Its standard output: results.</param>
/// <param name="Told">Its standard error.</param>
internal sealed record Ended(int ExitCode, string Output, string Told)
{
    /// <summary>Its error lines.</summary>
    public IReadOnlyList<string> Error { get; } = [.. Told.Split('\n').Where(line => line.StartsWith("sc2bridge: ", StringComparison.Ordinal))];

    /// <summary>Expects a failure that is reported in one line, which contains these words.</summary>
    public void Says(int exitCode, params string[] words)
    {
        var line = Assert.Single(Error);
        Assert.All(words, word => Assert.Contains(word, line, StringComparison.Ordinal));
        Assert.Equal(exitCode, ExitCode);
    }

    /// <summary>Expects success, without warnings or errors.</summary>
    public void Well()
    {
        Assert.Empty(Error);
        Assert.True(ExitCode == 0, $"It ended with exit code {ExitCode}:\n{Output}\n{Told}");
    }
}

/// <summary>
/// <c>sc2bridge</c> as a user starts it. Its child processes may have their own sessions, so an inherited environment
/// variable marks them.
/// </summary>
internal sealed class BridgeProcess : IDisposable
{
    public const int HangUp = 1;
    public const int Interrupt = 2;
    public const int KillSignal = 9;
    public const int Terminate = 15;
    public const int Continue = 18;
    public const int Stop = 19;

    // If a program hangs, only the wait for it fails, with the program's output. No test measures time by this limit.
    private static readonly TimeSpan HangGuard = TimeSpan.FromMinutes(4);
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(10);

    // Every kind of child process inherits LC_… variables.
    private const string MarkName = "LC_SC2BRIDGE_TEST";

    private readonly Process _process;
    private readonly string _mark;
    private readonly List<string> _output = [];
    private readonly List<string> _error = [];

    private BridgeProcess(ProcessStartInfo start)
    {
        _mark = $"{MarkName}={start.Environment[MarkName]}";
        _process = Process.Start(start)!;
        _process.OutputDataReceived += (_, line) => Keep(_output, line.Data);
        _process.ErrorDataReceived += (_, line) => Keep(_error, line.Data);
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>The folder of the tests' Python agents. It is the current folder of started programs.</summary>
    public static string AgentFolder { get; } =
        Path.Combine(PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Functional", "Agents");

    /// <summary>
    /// The words that start <c>sc2bridge</c>, before its arguments: the build in the tests' folder, or the published program
    /// that <c>SC2BRIDGE_PROGRAM</c> names.
    /// </summary>
    public static IReadOnlyList<string> Program { get; } =
        Environment.GetEnvironmentVariable("SC2BRIDGE_PROGRAM") is { Length: > 0 } published
            ? [published]
            : [Dotnet, Path.Combine(AppContext.BaseDirectory, "sc2bridge.dll")];

    /// <summary>The process's number, which is also its session's number.</summary>
    public int Id => _process.Id;

    /// <summary>The words before a program's that give it its own terminal. Skips the test if that is not possible.</summary>
    public static string[] Terminal()
    {
        NeedTerminals();
        return [MatchFolder.Python, Path.Combine(AgentFolder, "terminal.py")];
    }

    /// <summary>Skips the test if terminals cannot be created.</summary>
    public static void NeedTerminals() =>
        Assert.SkipUnless(File.Exists("/dev/pts/ptmx"), "needs terminals: /dev/pts is not mounted");

    /// <summary>Starts the program.</summary>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="environment">More environment variables.</param>
    public static BridgeProcess Start(
        IEnumerable<string> arguments, params IEnumerable<(string Name, string Value)> environment) =>
        Start([.. ProgramOf(arguments), .. arguments], environment);

    /// <summary>Starts any program in its own session.</summary>
    public static BridgeProcess Start(string[] words, params IEnumerable<(string Name, string Value)> environment)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs Linux: setsid, and /proc to find what is left behind");

        // Where the tests run in a shell's background, or after nohup, Ctrl-C's signal, or a closed terminal's, is
        // ignored by all that they start.
        var start = new ProcessStartInfo("env", ["--default-signal=INT,HUP", "setsid", .. words])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            WorkingDirectory = AgentFolder,
        };
        start.Environment["PYTHONPATH"] = Path.Combine(PeerEnvironment.RepositoryRoot, "agent-python", "src");
        start.Environment["PYTHONDONTWRITEBYTECODE"] = "1";
        start.Environment.Remove("SC2PATH");
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        start.Environment[MarkName] = $"{Guid.NewGuid():N}";
        return new BridgeProcess(start);
    }

    /// <summary>Gives it some standard input.</summary>
    public void Type(string text)
    {
        _process.StandardInput.Write(text);
        _process.StandardInput.Flush();
    }

    /// <summary>Ends its standard input.</summary>
    public void EndInput() => _process.StandardInput.Close();

    /// <summary>Waits until it and all its child processes have ended.</summary>
    public async Task<Ended> EndAsync()
    {
        using var hanging = Guard();
        try
        {
            await _process.WaitForExitAsync(hanging.Token);
            await UntilAsync(() => Alive().Count == 0);
        }
        catch (OperationCanceledException)
        {
            Assert.Fail($"It does not end. Alive: {string.Join(" | ", Alive())}\n{Said()}");
        }

        lock (_output)
        {
            return new Ended(_process.ExitCode, string.Join('\n', _output), string.Join('\n', _error));
        }
    }

    /// <summary>Waits for a printed line on standard output or error, and returns it.</summary>
    public async Task<string> LineAsync(string words)
    {
        string? found = null;
        await UntilAsync(() =>
        {
            lock (_output)
            {
                found = _error.Concat(_output).FirstOrDefault(line => line.Contains(words, StringComparison.Ordinal));
            }

            return found is not null;
        });
        return found!;
    }

    /// <summary>Waits until the program has made a condition true.</summary>
    public async Task UntilAsync(Func<bool> done)
    {
        using var hanging = Guard();

        // Checks once more after the end: the condition may have become true just before.
        for (var ended = false; !done(); ended = _process.HasExited)
        {
            // The condition may be that all processes have ended.
            if (ended && Alive().Count == 0 && !done())
            {
                Assert.Fail($"It ended first, with exit code {_process.ExitCode}.\n{Said()}");
            }

            try
            {
                await Task.Delay(Poll, hanging.Token);
            }
            catch (OperationCanceledException)
            {
                Assert.Fail($"It did not come so far.\n{Said()}");
            }
        }
    }

    /// <summary>
    /// Sends it a signal; <paramref name="group"/> to everything that it started too, as a terminal's Ctrl-C.
    /// </summary>
    public void Signal(int signal, bool group = false) => Signal(group ? -Id : Id, signal);

    /// <summary>Sends any process a signal.</summary>
    public static void Signal(int process, int signal) => Assert.Equal(0, Kill(process, signal));

    /// <summary>Sends any process a signal, if it still exists.</summary>
    public static void TrySignal(int process, int signal) => _ = Kill(process, signal);

    /// <summary>The command lines of the program and its children that still run, by process number.</summary>
    public IReadOnlyDictionary<int, string> Alive()
    {
        var alive = new Dictionary<int, string>();
        foreach (var folder in Directory.GetDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var id))
            {
                try
                {
                    // "PID (name) state parent group session …", and the name may contain any characters.
                    var stat = File.ReadAllText($"{folder}/stat");
                    var fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
                    if (fields[0] is not ("Z" or "X") && (fields[3] == $"{Id}" || IsMarked(folder)))
                    {
                        alive[id] = File.ReadAllText($"{folder}/cmdline").Replace('\0', ' ');
                    }
                }
                catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
                {
                    // It has ended meanwhile, or is another user's.
                }
            }
        }

        return alive;
    }

    private bool IsMarked(string folder) => File.ReadAllText($"{folder}/environ").Contains(_mark, StringComparison.Ordinal);

    /// <summary>Its simulated games.</summary>
    public IReadOnlyList<int> Games() => With(" simulate ");

    /// <summary>The processes whose command line has these words, without the shells that guard them.</summary>
    public IReadOnlyList<int> With(string words) =>
    [
        .. Alive().Where(process => process.Value.Contains(words, StringComparison.Ordinal)
                && !process.Value.Contains("/bin/sh ", StringComparison.Ordinal)
                && !process.Value.Contains("setsid ", StringComparison.Ordinal))
            .Select(process => process.Key).Order(),
    ];

    /// <summary>Expects that all its processes end within five seconds.</summary>
    public async Task IsGoneAsync()
    {
        var begin = Stopwatch.GetTimestamp();
        await UntilAsync(() => Alive().Count == 0);
        Assert.InRange(Stopwatch.GetElapsedTime(begin).TotalSeconds, 0, 5);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var id in Alive().Keys)
        {
            _ = Kill(id, KillSignal);
        }

        _process.Dispose();
    }

    private static CancellationTokenSource Guard()
    {
        var guard = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        guard.CancelAfter(HangGuard);
        return guard;
    }

    private static string Dotnet =>
        Environment.ProcessPath is { } path && Path.GetFileName(path) == "dotnet" ? path : "dotnet";

    // As the launcher chooses: what measures is a program of its own.
    private static IReadOnlyList<string> ProgramOf(IEnumerable<string> arguments) =>
        arguments.FirstOrDefault() is "codec" or "compare"
            ? [Dotnet, Path.Combine(AppContext.BaseDirectory, "sc2bridge-bench.dll")]
            : Program;

    [DllImport("libc", EntryPoint = "kill")]
    private static extern int Kill(int process, int signal);

    private string Said()
    {
        lock (_output)
        {
            return string.Join('\n', [.. _output, .. _error]);
        }
    }

    private void Keep(List<string> lines, string? line)
    {
        if (line is not null)
        {
            lock (_output)
            {
                lines.Add(line);
            }
        }
    }
}
