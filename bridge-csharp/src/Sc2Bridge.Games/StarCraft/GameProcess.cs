using System.Diagnostics;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A game's process, which never outlives the bridge.</summary>
/// <remarks>
/// It is killed, with every process that it started, on <see cref="DisposeAsync"/> and when the bridge's own process
/// exits. For a bridge that is killed outright a shell stands between on Linux and macOS: it holds a pipe to the
/// bridge, and kills the game when the pipe closes. On Windows there is no such guard yet: a game whose bridge was
/// killed outright (not ended with Ctrl-C) must be closed by hand.
/// </remarks>
public sealed class GameProcess : IAsyncDisposable
{
    private const int KeptLines = 5;

    // SIGINT and SIGHUP (Ctrl-C and the end of a terminal go to its whole group) are for the bridge, which ends the
    // match properly and then the game. The game's exit code is handed on, without the shell's own word for it, and its
    // temporary folder goes with it; the reader of the pipe ends with the game.
    private const string Guard = """
        trap '' HUP INT
        folder=$1
        shift
        exec 3<&0
        "$@" </dev/null 3<&- &
        game=$!
        { read -r _ <&3; kill -9 $game; } 2>/dev/null >/dev/null &
        guard=$!
        exec 3<&- 2>/dev/null
        wait $game
        code=$?
        kill -9 $guard 2>/dev/null
        rm -rf "$folder"
        exit $code
        """;

    private static readonly TimeSpan ExitPatience = TimeSpan.FromSeconds(2);

    private readonly GameLaunch _launch;
    private readonly Process _process;
    private readonly string _temporaryFolder;
    private readonly Queue<string> _lastLines = new();
    private readonly ChildProcessGuard _guard;
    private int _disposed;

    private GameProcess(GameLaunch launch, Process process, int port, string temporaryFolder)
    {
        _launch = launch;
        _process = process;
        _temporaryFolder = temporaryFolder;
        Address = new GameAddress("127.0.0.1", port);
        _guard = new ChildProcessGuard(process, DeleteTemporaryFolder);
        process.OutputDataReceived += (_, line) => Keep(line.Data);
        process.ErrorDataReceived += (_, line) => Keep(line.Data);
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        Exited = ExitAsync();
    }

    /// <summary>Where it listens, or will.</summary>
    public GameAddress Address { get; }

    /// <summary>The number of the process (on Linux and macOS of the shell that guards it).</summary>
    public int Id => _process.Id;

    /// <summary>Completes when the process has exited, with a line that says so: exit code and last lines.</summary>
    public Task<string> Exited { get; }

    /// <summary>Starts the game.</summary>
    /// <exception cref="GameException">Its port is taken, or the program cannot be started.</exception>
    public static GameProcess Start(GameLaunch launch)
    {
        ArgumentNullException.ThrowIfNull(launch);
        CheckExecutable(launch);
        var port = GameAddress.FreePort(launch.Port);
        var temporaryFolder = Directory.CreateTempSubdirectory("sc2bridge-game-").FullName;
        var start = new ProcessStartInfo
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
            WorkingDirectory = launch.WorkingDirectory ?? "",
        };
        if (OperatingSystem.IsWindows())
        {
            start.FileName = launch.Executable;
        }
        else
        {
            start.FileName = "/bin/sh";
            foreach (var argument in new[] { "-c", Guard, "sh", temporaryFolder, launch.Executable })
            {
                start.ArgumentList.Add(argument);
            }
        }

        foreach (var argument in launch.Arguments(port, temporaryFolder))
        {
            start.ArgumentList.Add(argument);
        }

        try
        {
            return new GameProcess(launch, Process.Start(start)!, port, temporaryFolder);
        }
        catch (Exception failure) when (failure is System.ComponentModel.Win32Exception or IOException)
        {
            Directory.Delete(temporaryFolder, recursive: true);
            throw new GameException(
                $"{launch.Name} could not be started: '{launch.Executable}': {failure.Message}. Is it installed whole?",
                failure);
        }
    }

    /// <summary>Connects to it as soon as it listens.</summary>
    /// <exception cref="GameException">
    /// It exited, or did not listen within <see cref="GameLaunch.StartTimeout"/>.
    /// </exception>
    public async Task<GameClient> ConnectAsync(GameClientOptions options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        var socket = await GameConnector.OpenAsync(Address, _launch.StartTimeout, Exited, cancellationToken);
        return new GameClient(socket, options with { Explain = ExplainAsync });
    }

    /// <summary>Ends it, whatever it does.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 1)
        {
            return;
        }

        _guard.Dispose();
        _guard.Kill();
        await Exited;
        _process.Dispose();
        DeleteTemporaryFolder();
    }

    /// <summary>Waits for a game that was asked to quit; false where it still runs.</summary>
    internal async Task<bool> WaitForExitAsync(TimeSpan patience) =>
        await Task.WhenAny(Exited, Task.Delay(patience)) == Exited;

    /// <summary>What the bridge's own end does to the guard.</summary>
    internal void CloseGuardPipe() => _process.StandardInput.Close();

    private static void CheckExecutable(GameLaunch launch)
    {
        // The shell looks a bare name up in PATH; a path can be checked here, where the message can say what to do.
        if (launch.Executable.Contains('/', StringComparison.Ordinal) && !OperatingSystem.IsWindows())
        {
            if (!File.Exists(launch.Executable))
            {
                throw new GameException(
                    $"{launch.Name} could not be started: there is no '{launch.Executable}'. Install it whole.");
            }

            if (!new SystemEnvironment().MayExecute(launch.Executable))
            {
                throw new GameException(
                    $"{launch.Name} could not be started: '{launch.Executable}' may not be executed. Run: chmod +x " +
                    $"'{launch.Executable}'");
            }
        }
    }

    private void Keep(string? line)
    {
        if (!string.IsNullOrWhiteSpace(line))
        {
            lock (_lastLines)
            {
                if (_lastLines.Count == KeptLines)
                {
                    _lastLines.Dequeue();
                }

                _lastLines.Enqueue(line.Trim());
            }
        }
    }

    private async Task<string> ExitAsync()
    {
        // Its output is read to the end too, unless a process that it left behind holds the pipe open.
        var whole = _process.WaitForExitAsync();
        while (!_process.HasExited)
        {
            await Task.WhenAny(whole, Task.Delay(100));
        }

        await Task.WhenAny(whole, Task.Delay(ExitPatience));
        string[] lines;
        lock (_lastLines)
        {
            lines = [.. _lastLines];
        }

        var code = _process.ExitCode;
        var how = code > 128 && !OperatingSystem.IsWindows()
            ? $"was ended by signal {code - 128}"
            : $"exited with code {code}";
        var said = lines.Length == 0 ? "it printed nothing" : $"its last lines: {string.Join(" | ", lines)}";
        return $"{_launch.Name} {how} ({said}).";
    }

    // The connection of a game that crashes breaks a little before its process is gone.
    private async Task<string?> ExplainAsync() =>
        Volatile.Read(ref _disposed) == 0 && await WaitForExitAsync(ExitPatience) ? await Exited : null;

    private void DeleteTemporaryFolder()
    {
        try
        {
            Directory.Delete(_temporaryFolder, recursive: true);
        }
        catch (Exception left) when (left is IOException or UnauthorizedAccessException)
        {
            // A file of the game's that will not go stays in the system's temporary folder.
        }
    }
}
