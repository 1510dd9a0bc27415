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
    private bool _askedOnceMore;

    /// <summary>Makes the frames.</summary>
    internal MatchObservations Observations { get; } = new(name, perspective);

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

    private async ValueTask<RawResponse> AskAsync(CancellationToken cancellationToken)
    {
        var isFirst = Observations.NextStep == 0;
        if (!isFirst && !Observations.HasEnded && !settings.Rate.Realtime)
        {
            // A query's answer may have told that the match is over.
            if (client.Status != Status.Ended)
            {
                return await StepAsync(cancellationToken);
            }

            Observations.HasEnded = true;
        }

        _askedOnceMore = Observations.HasEnded;
        var request = settings.DisableFog ? new RequestObservation { DisableFog = true } : null;
        if (!isFirst && !Observations.HasEnded)
        {
            request ??= new RequestObservation();
            request.GameLoop = Observations.GameLoop + settings.StepSize;
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

            Observations.HasEnded = true;
        }

        return stepped.Observation;
    }

    // The frame that an answer makes, which takes the buffer over; null where it makes none. Sets End when it is known.
    private ObservationFrame? Take(RawResponse answer)
    {
        var isFirst = Observations.NextStep == 0;
        if (answer.Refused && (isFirst || !GameEnding.Says(answer.Errors())))
        {
            throw new GameRequestException(Request.RequestOneofCase.Observation, answer.Errors());
        }

        var frame = Observations.Take(answer);
        if (isFirst && frame is null)
        {
            throw new GameException("The game's first observation is empty.");
        }

        if (answer.Refused || _askedOnceMore || Observations.IsComplete || Observations.IsStub)
        {
            End = Observations.Ended(V1.EndReason.Finished);
        }

        return frame;
    }
}
