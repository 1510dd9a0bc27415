using Sc2Bridge.GameApi;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Games;

/// <summary>A recording as a game process: a <see cref="GameApiServer"/> with it behind.</summary>
public sealed class RecordedGameServer : IAsyncDisposable
{
    private readonly GameApiServer _server;
    private readonly PlaybackLog _log;
    private readonly RecordedGame _game;

    private RecordedGameServer(GameApiServer server, RecordedGame game, PlaybackLog log) =>
        (_server, _game, _log) = (server, game, log);

    /// <summary>The port that it listens on.</summary>
    public int Port => _server.Port;

    /// <summary>
    /// Completes when the game has quit: it was told to, or its client left and it was to follow. Fails where the
    /// recording cannot be read, or the actions cannot be written.
    /// </summary>
    public Task Ended => _server.Ended;

    /// <summary>What was answered from where; to be read once it has ended.</summary>
    public RequestTotals Totals => _game.Totals;

    /// <summary>Opens a recording and listens.</summary>
    /// <param name="options">Which, and where.</param>
    /// <param name="say">Gets lines for people.</param>
    /// <param name="ct">Gives up starting.</param>
    /// <exception cref="ArgumentException">The address cannot be used.</exception>
    /// <exception cref="IOException">
    /// The port is taken, the address is none of this machine's, or the actions cannot be written.
    /// </exception>
    /// <exception cref="RecordingException">The recording cannot be used; one line says why and what to do.</exception>
    public static async Task<RecordedGameServer> StartAsync(
        RecordedGameOptions options, Action<string> say, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(say);
        var match = PlayableRecording.Open(options.Recording);
        PlaybackLog log;
        try
        {
            Tell(match, say);
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

    // What a person should know before trusting what is played.
    private static void Tell(PlayableRecording match, Action<string> say)
    {
        if (match.Problem is { } problem)
        {
            say(problem);
        }

        try
        {
            if (match.CountMissing() is > 0 and var missing)
            {
                say($"{missing} observations are missing in the recording: what they alone told is lost");
            }
        }
        catch (RecordingException)
        {
            // Damage is reported when playing reaches it.
        }
    }
}
