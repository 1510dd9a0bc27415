using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Runs a game that plays replays, in the version that each replay needs. A replay contains the players' actions, and only
/// the same version of the game turns these actions into the same match. After a replay, the game keeps running for the
/// next replay of the same version.
/// </summary>
/// <remarks>
/// The replay's beginning contains the version. The game's <c>replay_info</c> reports the version too (base_build and
/// data_version, to compare with <c>ping</c>). If the next replay has another version, the game is started again, from <c>Versions/BaseNNNNN</c> with
/// <c>-dataVersion</c>, as Blizzard's own client does (s2client-api, Coordinator). The game plays one replay at a time.
/// </remarks>
public sealed class ReplayGame : IAsyncDisposable
{
    // The game may download a few GB for an old version.
    private static readonly TimeSpan DownloadPatience = TimeSpan.FromHours(1);

    private readonly ReplayVersions? _versions;
    private readonly GameAddress? _address;
    private readonly GameClientOptions _options;
    private RunningGame? _running;
    private GameLaunch? _runningLaunch;
    private TimeSpan _requestPatience;

    /// <summary>Prepares the game. The game is started or attached when the first replay is opened.</summary>
    /// <param name="origin">
    /// The newest installed game or the simulated game, which is started when a replay needs a game. Or the address of a
    /// game that runs already: it plays replays of its own version only, and keeps running.
    /// </param>
    /// <param name="options">The limits of the connection; null for the defaults.</param>
    public ReplayGame(GameOrigin origin, GameClientOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(origin);
        _versions = origin is GameLaunch launch ? new ReplayVersions(launch, new SystemEnvironment()) : null;
        _address = origin as GameAddress;
        _options = options ?? new GameClientOptions();
    }

    /// <summary>Prepares a game that the caller keeps. It plays replays of its own version only.</summary>
    internal ReplayGame(RunningGame kept) => (_running, _options) = (kept, new GameClientOptions());

    /// <summary>The installation of StarCraft II; null for the simulated game, and for a game that ran already.</summary>
    internal Installation? Installation => _versions?.Installation;

    /// <summary>Opens the game that can play a replay.</summary>
    /// <exception cref="GameException">No game can play the replay. The message names what is missing.</exception>
    internal async Task<OpenedReplay> OpenAsync(Replay replay, CancellationToken ct)
    {
        if (_versions is not { } versions)
        {
            if (_running is { Client.IsBroken: true } && _address is not null)
            {
                await DisposeAsync();
            }

            _running ??= await RunningGame.AttachAsync(_address!, _options, ct);
            return await AskAsync(_running, replay, ct);
        }

        var first = versions.ChooseFirst(replay, _runningLaunch);
        var opened = await OpenAsync(first.Launch, replay, first.Downloads ? DownloadPatience : TimeSpan.Zero, ct);
        if (Installation is not null && !opened.HasReplayVersion && opened.BaseBuild is { } build)
        {
            var exact = versions.ChooseExact(replay, build, opened.DataVersion, opened.GameVersion);
            opened = await OpenAsync(exact, replay, TimeSpan.Zero, ct);
            if (opened.Ping.BaseBuild != build)
            {
                throw new GameException(
                    $"{replay.Path} needs build {build} of StarCraft II, but Versions/Base{build} contains "
                    + $"build {opened.Ping.BaseBuild}. Repair the installation.");
            }
        }

        return opened;
    }

    /// <summary>Ends the game if this object started it. A game that ran already only leaves the replay.</summary>
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

        // If the map is not in the game's cache, the game has no information about the replay. But the game plays the replay
        // if the bridge sends the map (cpp-sc2 issue 25, pysc2 issue 337).
        var details = info.ErrorDetails.TrimEnd('.');
        var problem = $"{info.Error}{(details.Length > 0 ? $": {details}" : "")}";
        return info.Error is ResponseReplayInfo.Types.Error.ParsingError or ResponseReplayInfo.Types.Error.DownloadError
            && replay.Head.Kind == ReplayGameKind.StarCraft
            ? new OpenedReplay(replay, game, ping, null, problem)
            : throw new GameException($"The game cannot read the replay {replay.Path} ({problem}). Is the file complete?");
    }

    private async Task<OpenedReplay> OpenAsync(
        GameLaunch launch, Replay replay, TimeSpan patience, CancellationToken ct)
    {
        if (_running is { } running && _runningLaunch == launch && _requestPatience >= patience)
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
                // The game ended with the previous replay, so it is started again below.
            }
        }

        await DisposeAsync();
        var options = patience > _options.RequestTimeout ? _options with { RequestTimeout = patience } : _options;
        _running = await RunningGame.StartAsync(launch, options, ct);
        (_runningLaunch, _requestPatience) = (launch, patience);
        return await AskAsync(_running, replay, ct);
    }
}
