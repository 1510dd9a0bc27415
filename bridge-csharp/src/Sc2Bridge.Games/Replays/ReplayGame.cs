using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A game to watch replays in, of the very version that each needs: a replay is what players did, and shows the match
/// again only where the same game plays it. It runs on from one replay to the next for as long as the version is the
/// same.
/// </summary>
/// <remarks>
/// Which version that is stands in the replay's beginning, and is what <c>replay_info</c> tells (base_build and
/// data_version, against those of <c>ping</c>): the game is started anew in <c>Versions/BaseNNNNN</c> with
/// <c>-dataVersion</c>, as Blizzard's own client does (s2client-api, Coordinator). For one replay at a time.
/// </remarks>
public sealed class ReplayGame : IAsyncDisposable
{
    // What the game fetches of an old version may be a few GB.
    private static readonly TimeSpan DownloadPatience = TimeSpan.FromHours(1);

    private readonly ReplayVersions? _versions;
    private readonly GameAddress? _address;
    private readonly GameClientOptions _options;
    private RunningGame? _running;
    private GameLaunch? _started;
    private TimeSpan _patience;

    /// <summary>A game to watch replays in.</summary>
    /// <param name="origin">
    /// The newest installed game, or the simulated one, to start when a replay needs it; or one that runs already, in one
    /// version, and is left running.
    /// </param>
    /// <param name="options">How to treat its connection; null for the usual.</param>
    public ReplayGame(GameOrigin origin, GameClientOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(origin);
        _versions = origin is GameLaunch launch ? new ReplayVersions(launch, new SystemEnvironment()) : null;
        _address = origin as GameAddress;
        _options = options ?? new GameClientOptions();
    }

    /// <summary>The installation of the game that was started here; null for any other.</summary>
    internal Installation? Installation => _versions?.Installation;

    /// <summary>Has the game ready that plays a replay.</summary>
    /// <exception cref="GameException">It cannot: the message says what is missing.</exception>
    internal async Task<OpenedReplay> OpenAsync(Replay replay, CancellationToken ct)
    {
        if (_versions is not { } versions)
        {
            if (_running is { Client.IsBroken: true })
            {
                await DisposeAsync();
            }

            _running ??= await RunningGame.AttachAsync(_address!, _options, ct);
            return await AskAsync(_running, replay, ct);
        }

        var first = versions.First(replay, _started);
        var opened = await OpenAsync(first.Launch, replay, first.Downloads ? DownloadPatience : TimeSpan.Zero, ct);
        if (Installation is not null && !opened.IsOfItsVersion && opened.BaseBuild is { } build)
        {
            var exact = versions.Exact(replay, build, opened.DataVersion, opened.GameVersion);
            opened = await OpenAsync(exact, replay, TimeSpan.Zero, ct);
            if (opened.Ping.BaseBuild != build)
            {
                throw new GameException(
                    $"{replay.Path} needs build {build} of StarCraft II, but what stands in Versions/Base{build} is "
                    + $"build {opened.Ping.BaseBuild}. Repair the installation.");
            }
        }

        return opened;
    }

    /// <summary>Ends the game that was started here; leaves the replay in one that was attached to.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_running is { } running)
        {
            _running = null;
            await running.DisposeAsync();
        }
    }

    private static async Task<OpenedReplay> AskAsync(RunningGame game, Replay replay, CancellationToken ct)
    {
        var ping = (await game.Client.SendAsync(new Request { Ping = new RequestPing() }, ct)).Ping;
        var asked = new RequestReplayInfo { ReplayData = replay.Bytes, DownloadData = true };
        var answer = await game.Client.ExchangeAsync(new Request { ReplayInfo = asked }, ct);
        if (answer.ReplayInfo is not { } info)
        {
            throw new GameRequestException(Request.RequestOneofCase.ReplayInfo, [.. answer.Error]);
        }

        if (!info.HasError)
        {
            return new OpenedReplay(replay, game, ping, info, null);
        }

        // The game cannot tell of a replay whose map it has not cached, and plays it all the same where it is given the
        // map (cpp-sc2 issue 25, pysc2 issue 337).
        var details = info.ErrorDetails.TrimEnd('.');
        var problem = $"{info.Error}{(details.Length > 0 ? $": {details}" : "")}";
        return info.Error is ResponseReplayInfo.Types.Error.ParsingError or ResponseReplayInfo.Types.Error.DownloadError
            && replay.Head.Kind == ReplayKind.StarCraft
            ? new OpenedReplay(replay, game, ping, null, problem)
            : throw new GameException($"The game cannot read the replay {replay.Path} ({problem}). Is it whole?");
    }

    private async Task<OpenedReplay> OpenAsync(
        GameLaunch launch, Replay replay, TimeSpan patience, CancellationToken ct)
    {
        if (_running is { } running && _started == launch && _patience >= patience)
        {
            try
            {
                return await AskAsync(running, replay, ct);
            }
            catch (GameRequestException)
            {
                throw;
            }
            catch (GameException) when (running.Client.IsBroken)
            {
                // It ended with the replay before this one.
            }
        }

        await DisposeAsync();
        var options = patience > _options.RequestTimeout ? _options with { RequestTimeout = patience } : _options;
        _running = await RunningGame.StartAsync(launch, options, ct);
        (_started, _patience) = (launch, patience);
        return await AskAsync(_running, replay, ct);
    }
}
