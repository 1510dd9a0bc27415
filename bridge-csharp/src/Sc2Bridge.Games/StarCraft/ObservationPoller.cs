using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Reads every observation of one client until the match ends.</summary>
/// <param name="client">A client of the game that has joined the match.</param>
/// <param name="settings">The match's settings.</param>
/// <param name="name">The match's name for the frames.</param>
/// <param name="perspective">The client's perspective.</param>
internal sealed class ObservationPoller(GameClient client, MatchSettings settings, string name, uint perspective)
{
    private bool _wasAskedAfterEnd;

    /// <summary>Makes the frames.</summary>
    internal MatchObservations Observations { get; } = new(name, perspective);

    /// <summary>How the match ended; set when <see cref="NextAsync"/> has returned null.</summary>
    internal V1.MatchEnd? End { get; private set; }

    /// <summary>Returns the first observation, then one for each step; null when the match has ended.</summary>
    internal async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        while (End is null)
        {
            var answer = await AskAsync(cancellationToken);
            ObservationFrame? frame = null;
            try
            {
                frame = Read(answer);
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
            // The answer to a query may have reported that the match is over.
            if (client.Status != Status.Ended)
            {
                return await StepAsync(cancellationToken);
            }

            Observations.HasEnded = true;
        }

        _wasAskedAfterEnd = Observations.HasEnded;
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
            if (!GameEnding.IsReportedIn(stepped.StepErrors))
            {
                stepped.Observation.Buffer.Release();
                throw new GameRequestException(Request.RequestOneofCase.Step, stepped.StepErrors);
            }

            Observations.HasEnded = true;
        }

        return stepped.Observation;
    }

    // Returns the answer's frame, which then owns the answer's buffer; null if the answer has no frame. Sets End when the match has ended.
    private ObservationFrame? Read(RawResponse answer)
    {
        var isFirst = Observations.NextStep == 0;
        if (answer.Refused && (isFirst || !GameEnding.IsReportedIn(answer.Errors())))
        {
            throw new GameRequestException(Request.RequestOneofCase.Observation, answer.Errors());
        }

        var frame = Observations.Read(answer);
        if (isFirst && frame is null)
        {
            throw new GameException("The game's first observation is empty: start the match again.");
        }

        if (answer.Refused || _wasAskedAfterEnd || Observations.IsComplete || Observations.IsStub)
        {
            End = Observations.DescribeEnd(V1.EndReason.Finished);
        }

        return frame;
    }
}
