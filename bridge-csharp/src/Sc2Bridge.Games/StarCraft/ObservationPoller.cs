using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Follows a match that was joined from observation to observation to its end, with the eyes of one client.</summary>
/// <param name="client">In the match.</param>
/// <param name="settings">The match.</param>
/// <param name="name">The match's name, which its frames bear.</param>
/// <param name="perspective">Whose eyes the client has.</param>
internal sealed class ObservationPoller(GameClient client, MatchSettings settings, string name, uint perspective)
{
    // Game loops in one request: more would take so long that the game would seem to hang.
    private const uint LongestSkip = 2240;

    private ulong _nextStep;
    private uint _gameLoop;
    private bool _over;
    private bool _askedOnceMore;

    /// <summary>How the match ended, once <see cref="NextAsync"/> gave null.</summary>
    internal V1.MatchEnd? End { get; private set; }

    /// <summary>The first observation, then one for every step; null when the match has ended.</summary>
    internal async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        while (End is null)
        {
            var answer = await AskAsync(cancellationToken);
            ObservationFrame? frame;
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

    /// <summary>Steps without observing, so that the next observation is that of a later step.</summary>
    /// <param name="step">That step: later than the one that would come next.</param>
    /// <param name="ct">Gives up.</param>
    /// <remarks>What happens meanwhile is told with that observation, as the game tells it.</remarks>
    internal async Task SkipToAsync(ulong step, CancellationToken ct)
    {
        var before = step - (_nextStep == 0 ? 1 : _nextStep);
        for (var left = before * settings.StepSize; left > 0 && client.Status != Status.Ended;)
        {
            var count = (uint)Math.Min(left, LongestSkip);
            try
            {
                await client.SendAsync(new Request { Step = new RequestStep { Count = count } }, ct);
            }
            catch (GameRequestException refused) when (GameEnding.Says(refused.Errors))
            {
                break;
            }

            left -= count;
        }

        _nextStep = step;
    }

    private static GameException Unreadable(Exception malformed) =>
        new($"The game's observation is not a ResponseObservation: {malformed.Message}", malformed);

    private async ValueTask<RawResponse> AskAsync(CancellationToken cancellationToken)
    {
        if (_nextStep > 0 && !_over && !settings.Rate.Realtime)
        {
            // A query's answer may have told that the match is over.
            if (client.Status != Status.Ended)
            {
                return await StepAsync(cancellationToken);
            }

            _over = true;
        }

        _askedOnceMore = _over;
        var request = settings.DisableFog ? new RequestObservation { DisableFog = true } : null;
        if (_nextStep > 0 && !_over)
        {
            request ??= new RequestObservation();
            request.GameLoop = _gameLoop + settings.StepSize;
        }

        return await client.ObserveAsync(request, cancellationToken);
    }

    private async ValueTask<RawResponse> StepAsync(CancellationToken cancellationToken)
    {
        var stepped = await client.StepAndObserveAsync(settings.StepSize, settings.DisableFog, cancellationToken);
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
    private ObservationFrame? Take(RawResponse answer)
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

    private ObservationFrame ToFrame(RawResponse answer) => ObservationFrame.Create(
        answer.Buffer,
        answer.Slice.BodyStart,
        answer.Slice.BodyLength,
        new FrameHeader(
            name, perspective, _nextStep - 1, _gameLoop, answer.RequestedNs, answer.ObservedNs));

    private void Finish(IReadOnlyList<PlayerResult> results)
    {
        End = new V1.MatchEnd
        {
            MatchId = name,
            Results = { results },
            Step = _nextStep - 1,
            GameLoop = _gameLoop,
            Reason = "finished",
        };
    }
}
