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

    /// <summary>The address at which the game listens, or will listen.</summary>
    public GameAddress Address { get; }

    /// <summary>Completes when the process has exited.</summary>
    public Task<GameExit> Exited { get; }

    /// <summary>Whether the game has exited and another program listens on the game's port, which was free at the start.</summary>
    internal bool HasLostPort => _launch.Port == 0 && Exited.IsCompleted && !FreePorts.IsFree(Address.Port);

    /// <summary>Starts the game.</summary>
    /// <exception cref="GameException">The game's port is in use, or the program cannot be started.</exception>
    public static GameProcess Start(GameLaunch launch)
    {
        ArgumentNullException.ThrowIfNull(launch);
        CheckExecutable(launch);
        if (launch.Port > 0 && !FreePorts.IsFree(launch.Port))
        {
            throw new GameException(
                $"Port {launch.Port} for the game cannot be used: another program uses it, or you may not use it. Choose "
                + $"another port, or attach to the game that listens there as 127.0.0.1:{launch.Port}.");
        }

        var port = launch.Port > 0 ? launch.Port : FreePorts.Find();
        var temporaryFolder = Directory.CreateTempSubdirectory("sc2bridge-game-").FullName;
        var start = ChildEnvironment.CreateStartInfo(ChildKind.Game, launch.Executable, launch.Arguments(port, temporaryFolder));
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
                $"{launch.Name} could not be started: '{launch.Executable}': {failure.Message}. Is the installation complete?",
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

    /// <summary>Connects to the game as soon as it listens.</summary>
    /// <exception cref="GameException">
    /// The game exited, or did not listen within <see cref="GameLaunch.StartTimeout"/>.
    /// </exception>
    public async Task<GameClient> ConnectAsync(GameClientOptions options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        var socket = await GameConnector.OpenAsync(Address, _launch.StartTimeout, Exited, cancellationToken);
        return new GameClient(socket, options with { Explain = ExplainAsync });
    }

    /// <summary>Ends the process if it still runs, and deletes its temporary folder.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 1)
        {
            return;
        }

        await _process.DisposeAsync();
        DeleteTemporaryFolder();
    }

    /// <summary>Waits until a game that was asked to quit has exited. Returns false if the game still runs after <paramref name="patience"/>.</summary>
    internal async Task<bool> WaitForExitAsync(TimeSpan patience) =>
        await Task.WhenAny(Exited, Task.Delay(patience)) == Exited;

    private static void CheckExecutable(GameLaunch launch)
    {
        // The system searches PATH for a name without a slash. A path is checked here, so that the error message can name the remedy.
        if (launch.Executable.Contains('/', StringComparison.Ordinal) && !OperatingSystem.IsWindows())
        {
            if (!File.Exists(launch.Executable))
            {
                throw new GameException(
                    $"{launch.Name} could not be started: '{launch.Executable}' does not exist. Install the complete game.");
            }

            if (!new SystemEnvironment().MayExecute(launch.Executable))
            {
                throw new GameException(
                    $"{launch.Name} could not be started: '{launch.Executable}' is not executable. Run: chmod +x " +
                    $"'{launch.Executable}'");
            }
        }
    }

    private async Task<GameExit> ExitAsync()
    {
        var code = await _process.Exited;
        var lines = _lastLines.Lines;
        var how = code > 128 && !OperatingSystem.IsWindows()
            ? $"was ended by signal {code - 128}"
            : $"exited with code {code}";
        var output = lines.Count == 0 ? "it printed nothing" : $"its last lines: {string.Join(" | ", lines)}";
        return new GameExit(code, $"{_launch.Name} {how} ({output}).");
    }

    // If a game crashes, its connection breaks shortly before its process ends. So this method waits until the process has exited.
    private async Task<GameExit?> ExplainAsync() => Volatile.Read(ref _disposed) == 0 && await WaitForExitAsync(ExitPatience)
        ? await Exited
        : null;

    // Needed on Windows only. On other systems, the guard of the child process deletes the folder.
    private void DeleteTemporaryFolder()
    {
        try
        {
            if (Directory.Exists(_temporaryFolder))
            {
                Directory.Delete(_temporaryFolder, recursive: true);
            }
        }
        catch (Exception undeletable) when (undeletable is IOException or UnauthorizedAccessException)
        {
            // A file of the game that cannot be deleted stays in the system's temporary folder.
        }
    }
}
