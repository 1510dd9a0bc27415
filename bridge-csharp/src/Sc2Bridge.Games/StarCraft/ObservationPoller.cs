using SC2APIProtocol;
using Sc2Bridge.GameApi;
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

    private readonly MatchObservations _observations = new(name, perspective);
    private bool _askedOnceMore;

    /// <summary>How the match ended, once <see cref="NextAsync"/> gave null.</summary>
    internal V1.MatchEnd? End { get; private set; }

    /// <summary>The first observation, then one for every step; null when the match has ended.</summary>
    internal async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        while (End is null)
        {
            var answer = await AskAsync(cancellationToken);
            ObservationFrame? frame = null;
            try
            {
                frame = Take(answer);
            }
            finally
            {
                if (frame is null)
                {
                    answer.Buffer.Release();
                }
            }

            if (frame is not null)
            {
                return frame;
            }
        }

        return null;
    }

    /// <summary>Steps without observing, so that the next observation is that of a later step.</summary>
    /// <param name="step">That step: later than the one that would come next.</param>
    /// <param name="ct">Gives up.</param>
    /// <remarks>That observation has the events of the steps between, as the game reports them.</remarks>
    internal async Task SkipToAsync(ulong step, CancellationToken ct)
    {
        var before = step - Math.Max(_observations.NextStep, 1);
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

        _observations.NextStep = step;
    }

    private async ValueTask<RawResponse> AskAsync(CancellationToken cancellationToken)
    {
        var isFirst = _observations.NextStep == 0;
        if (!isFirst && !_observations.HasEnded && !settings.Rate.Realtime)
        {
            // A query's answer may have told that the match is over.
            if (client.Status != Status.Ended)
            {
                return await StepAsync(cancellationToken);
            }

            _observations.HasEnded = true;
        }

        _askedOnceMore = _observations.HasEnded;
        var request = settings.DisableFog ? new RequestObservation { DisableFog = true } : null;
        if (!isFirst && !_observations.HasEnded)
        {
            request ??= new RequestObservation();
            request.GameLoop = _observations.GameLoop + settings.StepSize;
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

            _observations.HasEnded = true;
        }

        return stepped.Observation;
    }

    // The frame that an answer makes, which takes the buffer over; null where it makes none. Sets End when it is known.
    private ObservationFrame? Take(RawResponse answer)
    {
        var isFirst = _observations.NextStep == 0;
        if (answer.Refused)
        {
            var errors = answer.Errors();
            if (isFirst || !GameEnding.Says(errors))
            {
                throw new GameRequestException(Request.RequestOneofCase.Observation, errors);
            }
        }

        var frame = _observations.Take(answer);
        if (isFirst && frame is null)
        {
            throw new GameException("The game's first observation is empty.");
        }

        if (answer.Refused || _askedOnceMore || _observations.IsComplete || _observations.IsStub)
        {
            End = _observations.Ended(V1.EndReason.Finished);
        }

        return frame;
    }
}
