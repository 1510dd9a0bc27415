using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match of StarCraft II, or of the simulated game, which is a process behind a socket just the same: launched or
/// attached to, created, joined as an observer of computers, and followed to its end.
/// </summary>
/// <remarks>
/// In real time <c>step</c> is illegal; the next observation is asked for with the game loop that it shall wait for,
/// and the game answers in order: what an agent asks meanwhile (<see cref="RequestAsync"/>) is written at once, so it
/// goes before the next waiting observation, and is answered when the one under way is. The delay is a step at most:
/// <see cref="MatchSettings.StepSize"/> / 22.4 s, 45 ms with steps of one loop.
/// </remarks>
public sealed class StarCraftSource : IGameSource
{
    private static readonly TimeSpan QuitPatience = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan AttachPatience = TimeSpan.FromSeconds(10);

    private readonly MatchSettings _settings;
    private readonly GameLaunch? _launch;
    private readonly GameAddress? _address;
    private readonly GameClientOptions _options;
    private GameProcess? _process;
    private GameClient? _client;
    private V1.MatchDescription? _description;
    private ulong _nextStep;
    private uint _gameLoop;
    private bool _over;
    private bool _askedOnceMore;
    private int _disposed;

    /// <summary>A game that is started here, and ended with the match.</summary>
    public StarCraftSource(MatchSettings settings, GameLaunch launch, GameClientOptions? options = null)
        : this(settings, options)
    {
        ArgumentNullException.ThrowIfNull(launch);
        _launch = launch;
    }

    /// <summary>A game that already runs, here or on another machine; it is left running, out of its match.</summary>
    public StarCraftSource(MatchSettings settings, GameAddress address, GameClientOptions? options = null)
        : this(settings, options)
    {
        ArgumentNullException.ThrowIfNull(address);
        _address = address;
    }

    private StarCraftSource(MatchSettings settings, GameClientOptions? options)
    {
        ArgumentNullException.ThrowIfNull(settings);
        settings.Validate();
        _settings = settings;
        _options = options ?? new GameClientOptions();
    }

    /// <inheritdoc/>
    public V1.MatchDescription Description =>
        _description ?? throw new InvalidOperationException("The match has not been started.");

    /// <inheritdoc/>
    public V1.MatchEnd? End { get; private set; }

    /// <inheritdoc/>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        if (_launch is not null)
        {
            _process = GameProcess.Start(_launch);
            _client = await _process.ConnectAsync(_options, cancellationToken);
        }
        else
        {
            _client = new GameClient(
                await GameConnector.OpenAsync(_address!, AttachPatience, gone: null, cancellationToken), _options);
        }

        _description = await MatchSetup.RunAsync(
            _client, _settings, _launch?.Installation, _launch?.Simulated ?? false, cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask<Frame?> NextAsync(CancellationToken cancellationToken)
    {
        while (End is null)
        {
            var answer = await AskAsync(cancellationToken);
            Frame? frame;
            try
            {
                frame = Take(answer);
            }
            catch (MalformedMessageException malformed)
            {
                answer.Buffer.Release();
                throw Unreadable(malformed);
            }
            catch (InvalidProtocolBufferException malformed)
            {
                answer.Buffer.Release();
                throw Unreadable(malformed);
            }
            catch
            {
                answer.Buffer.Release();
                throw;
            }

            if (frame is not null)
            {
                return frame;
            }

            answer.Buffer.Release();
        }

        return null;
    }

    /// <inheritdoc/>
    public async Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        if (_client is null)
        {
            throw new RequestRefusedException(StatusCode.FailedPrecondition, "The match has not been started.");
        }

        if (perspective != _settings.Observe)
        {
            throw new RequestRefusedException(
                StatusCode.InvalidArgument,
                $"There is no perspective {perspective} in this match: ask with perspective {_settings.Observe}.");
        }

        try
        {
            return await _client.ExchangeAsync(request, ct);
        }
        catch (GameRequestException refused)
        {
            throw new RequestRefusedException(StatusCode.FailedPrecondition, refused.Message);
        }
        catch (GameException failed)
        {
            throw new RequestRefusedException(StatusCode.Unavailable, failed.Message);
        }
    }

    /// <summary>Ends the game that was started here; leaves the match of one that was attached to.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 1)
        {
            return;
        }

        if (_client is not null)
        {
            await TakeLeaveAsync(_client);
            await _client.DisposeAsync();
        }

        if (_process is not null)
        {
            await _process.DisposeAsync();
        }
    }

    private static GameException Unreadable(Exception malformed) =>
        new($"The game's observation is not a ResponseObservation: {malformed.Message}", malformed);

    private async ValueTask<GameAnswer> AskAsync(CancellationToken cancellationToken)
    {
        var client = _client ?? throw new InvalidOperationException("The match has not been started.");
        if (_nextStep > 0 && !_over && !_settings.Rate.Realtime)
        {
            // A query's answer may have told that the match is over.
            if (client.Status != Status.Ended)
            {
                return await StepAsync(client, cancellationToken);
            }

            _over = true;
        }

        _askedOnceMore = _over;
        var request = _settings.DisableFog ? new RequestObservation { DisableFog = true } : null;
        if (_nextStep > 0 && !_over)
        {
            request ??= new RequestObservation();
            request.GameLoop = _gameLoop + _settings.StepSize;
        }

        return await client.ObserveAsync(request, cancellationToken);
    }

    private async ValueTask<GameAnswer> StepAsync(GameClient client, CancellationToken cancellationToken)
    {
        var stepped = await client.StepAndObserveAsync(_settings.StepSize, _settings.DisableFog, cancellationToken);
        if (stepped.StepErrors.Count > 0)
        {
            if (!GameEnding.Says(stepped.StepErrors))
            {
                stepped.Observation.Buffer.Release();
                throw new GameRequestException(Request.RequestOneofCase.Step, stepped.StepErrors);
            }

            _over = true;
        }

        return stepped.Observation;
    }

    // The frame that an answer makes, which takes the buffer over; null where it makes none. Sets End when it is known.
    private Frame? Take(GameAnswer answer)
    {
        if (answer.Refused)
        {
            var errors = answer.Errors();
            if (_nextStep == 0 || !GameEnding.Says(errors))
            {
                throw new GameRequestException(Request.RequestOneofCase.Observation, errors);
            }

            Finish([]);
            return null;
        }

        var facts = ObservationSlicer.Read(answer.Body);
        var results = facts.HasPlayerResult ? GameEnding.Results(answer.Body) : [];
        var stub = !facts.HasObservation || facts.GameLoop == GameEnding.StubLoop;
        if (_nextStep == 0 && stub)
        {
            throw new GameException("The game's first observation is empty.");
        }

        // A match that is over is asked once more for its results; that answer shows the last loop again.
        var isNew = !stub && (_nextStep == 0 || facts.GameLoop > _gameLoop || (!_over && results.Count == 0));
        var last = facts.HasPlayerResult || _askedOnceMore || facts.GameLoop >= GameEnding.LastLoop;
        if (isNew)
        {
            _gameLoop = facts.GameLoop;
            _nextStep++;
        }

        if (last)
        {
            Finish(results);
        }
        else if (stub || answer.Slice.Status == Status.Ended)
        {
            _over = true;
        }

        return isNew ? ToFrame(answer) : null;
    }

    private Frame ToFrame(GameAnswer answer) => Frame.Create(
        answer.Buffer,
        answer.Slice.BodyStart,
        answer.Slice.BodyLength,
        new FrameHeader(
            Description.Match, _settings.Observe, _nextStep - 1, _gameLoop, answer.AskedNs, answer.ArrivedNs));

    private void Finish(IReadOnlyList<PlayerResult> results)
    {
        End = new V1.MatchEnd
        {
            Match = Description.Match,
            Results = { results },
            Step = _nextStep - 1,
            GameLoop = _gameLoop,
            Reason = "finished",
        };
    }

    // Best effort: the process is killed after it, and a broken connection has nobody to take leave of.
    private async Task TakeLeaveAsync(GameClient client)
    {
        using var patience = new CancellationTokenSource(QuitPatience);
        try
        {
            if (_process is not null)
            {
                await client.ExchangeAsync(new Request { Quit = new RequestQuit() }, patience.Token);
                await _process.WaitForExitAsync(QuitPatience);
            }
            else
            {
                await client.ExchangeAsync(new Request { LeaveGame = new RequestLeaveGame() }, patience.Token);
            }
        }
        catch (Exception left) when (left is GameException or OperationCanceledException)
        {
        }
    }
}
