using Sc2Bridge.GameApi;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Games;

/// <summary>Serves a recording through a <see cref="GameApiServer"/>, like a process of the game.</summary>
public sealed class RecordedGameServer : IAsyncDisposable
{
    private readonly GameApiServer _server;
    private readonly PlaybackLog _log;
    private readonly RecordedGame _game;

    private RecordedGameServer(GameApiServer server, RecordedGame game, PlaybackLog log) =>
        (_server, _game, _log) = (server, game, log);

    /// <summary>The port that the server listens on.</summary>
    public int Port => _server.Port;

    /// <summary>
    /// Completes when the game has quit, because a client requested that, or because the client left and the game quits without a client.
    /// Fails if the recording cannot be read, or the actions cannot be written.
    /// </summary>
    public Task Ended => _server.Ended;

    /// <summary>Counts the answers by their source. Read the counts after <see cref="Ended"/> has completed.</summary>
    public RequestTotals Totals => _game.Totals;

    /// <summary>Opens a recording and listens for a client.</summary>
    /// <param name="options">The recording, the address and the limits.</param>
    /// <param name="say">Receives lines for the user.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <exception cref="ArgumentException">The address cannot be used.</exception>
    /// <exception cref="IOException">
    /// The port is in use, the address does not belong to this machine, or the file of actions cannot be written.
    /// </exception>
    /// <exception cref="RecordingException">The recording cannot be used. The message has the reason and the remedy.</exception>
    public static async Task<RecordedGameServer> StartAsync(
        RecordedGameOptions options, Action<string> say, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(say);
        var match = PlayableRecording.Open(options.Recording);
        PlaybackLog log;
        try
        {
            ReportProblems(match, say);
            log = new PlaybackLog(options.Actions, say);
        }
        catch
        {
            match.Dispose();
            throw;
        }

        var game = new RecordedGame(match, options, log);
        try
        {
            var handler = new RecordedRequestHandler(match, game, options.Clock);
            var server = await GameApiServer.StartAsync(handler, options, options.Admission, ct).ConfigureAwait(false);
            return new(server, game, log);
        }
        catch
        {
            await log.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync().ConfigureAwait(false);
        await _log.DisposeAsync().ConfigureAwait(false);
    }

    // Reports problems of the recording that the user must know.
    private static void ReportProblems(PlayableRecording match, Action<string> say)
    {
        if (match.Problem is { } problem)
        {
            say(problem);
        }

        try
        {
            if (match.CountMissingObservations() is > 0 and var missing)
            {
                say($"{missing} observations are missing in the recording: their events are lost");
            }
        }
        catch (RecordingException)
        {
            // The damage is reported when the client reaches the damaged part.
        }
    }
}
