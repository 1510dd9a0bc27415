using System.ComponentModel;
using Sc2Bridge.GameApi;
using Sc2Bridge.Processes;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A game's process, which never outlives the bridge (see <see cref="ChildProcess"/>).</summary>
public sealed class GameProcess : IAsyncDisposable
{
    private const int KeptLines = 5;

    private static readonly TimeSpan ExitPatience = TimeSpan.FromSeconds(2);

    private readonly GameLaunch _launch;
    private readonly ChildProcess _process;
    private readonly string _temporaryFolder;
    private readonly LastLines _lastLines;
    private int _disposed;

    private GameProcess(GameLaunch launch, ChildProcess process, int port, string temporaryFolder, LastLines lastLines)
    {
        (_launch, _process, _temporaryFolder, _lastLines) = (launch, process, temporaryFolder, lastLines);
        Address = new GameAddress("127.0.0.1", port);
        Exited = ExitAsync();
    }

    /// <summary>Where it listens, or will.</summary>
    public GameAddress Address { get; }

    /// <summary>Completes when the process has exited, with a line that says so: exit code and last lines.</summary>
    public Task<string> Exited { get; }

    /// <summary>Whether the game has exited and another program listens on the port that was free when the game was started.</summary>
    internal bool HasLostPort => _launch.Port == 0 && Exited.IsCompleted && !FreePorts.IsFree(Address.Port);

    /// <summary>Starts the game.</summary>
    /// <exception cref="GameException">Its port is taken, or the program cannot be started.</exception>
    public static GameProcess Start(GameLaunch launch)
    {
        ArgumentNullException.ThrowIfNull(launch);
        CheckExecutable(launch);
        if (launch.Port > 0 && !FreePorts.IsFree(launch.Port))
        {
            throw new GameException(
                $"Port {launch.Port} for the game cannot be used: another program has it, or you may not use it. Choose "
                + $"another port, or attach to the game that listens there as 127.0.0.1:{launch.Port}.");
        }

        var port = launch.Port > 0 ? launch.Port : FreePorts.Find();
        var temporaryFolder = Directory.CreateTempSubdirectory("sc2bridge-game-").FullName;
        var start = ChildEnvironment.Start(ChildKind.Game, launch.Executable, launch.Arguments(port, temporaryFolder));
        start.WorkingDirectory = launch.WorkingDirectory ?? "";
        var lastLines = new LastLines(KeptLines);
        try
        {
            var process = ChildProcess.Start(start, Keep, Keep, temporaryFolder);
            process.Input.Close();
            return new GameProcess(launch, process, port, temporaryFolder, lastLines);
        }
        catch (Exception failure) when (failure is Win32Exception or IOException)
        {
            Directory.Delete(temporaryFolder, recursive: true);
            throw new GameException(
                $"{launch.Name} could not be started: '{launch.Executable}': {failure.Message}. Is it installed whole?",
                failure);
        }

        void Keep(string line)
        {
            if (!string.IsNullOrWhiteSpace(line))
            {
                lastLines.Add(line.Trim());
            }
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

        await _process.DisposeAsync();
        DeleteTemporaryFolder();
    }

    /// <summary>Waits for a game that was asked to quit; false where it still runs.</summary>
    internal async Task<bool> WaitForExitAsync(TimeSpan patience) =>
        await Task.WhenAny(Exited, Task.Delay(patience)) == Exited;

    private static void CheckExecutable(GameLaunch launch)
    {
        // A bare name is looked up in PATH. For a path the message can say what to do.
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

    private async Task<string> ExitAsync()
    {
        var code = await _process.Exited;
        var lines = _lastLines.Lines;
        var how = code > 128 && !OperatingSystem.IsWindows()
            ? $"was ended by signal {code - 128}"
            : $"exited with code {code}";
        var said = lines.Count == 0 ? "it printed nothing" : $"its last lines: {string.Join(" | ", lines)}";
        return $"{_launch.Name} {how} ({said}).";
    }

    // The connection of a game that crashes breaks a little before its process is gone.
    private async Task<string?> ExplainAsync() =>
        Volatile.Read(ref _disposed) == 0 && await WaitForExitAsync(ExitPatience) ? await Exited : null;

    // On Windows. Elsewhere the guard has done it.
    private void DeleteTemporaryFolder()
    {
        try
        {
            if (Directory.Exists(_temporaryFolder))
            {
                Directory.Delete(_temporaryFolder, recursive: true);
            }
        }
        catch (Exception left) when (left is IOException or UnauthorizedAccessException)
        {
            // A file of the game's that will not go stays in the system's temporary folder.
        }
    }
}
