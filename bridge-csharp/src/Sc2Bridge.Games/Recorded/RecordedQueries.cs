using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>
/// The answers that the game gave when it was recorded, question by question, to who had the same eyes. It reads along
/// with the game, so that memory is bounded by what was asked in some steps. Not thread-safe.
/// </summary>
/// <param name="recorded">Reads all that was asked, from the beginning.</param>
/// <param name="perspective">Whose questions count.</param>
internal sealed class RecordedQueries(Func<IEnumerable<RequestRecord>> recorded, uint perspective) : IDisposable
{
    private readonly Dictionary<Question, List<(ulong Step, IMessage Answer)>> _answers = [];
    private readonly Queue<(ulong Step, Question Question)> _kept = [];
    private IEnumerator<RequestRecord>? _reading = recorded().GetEnumerator();
    private RequestRecord? _ahead;

    /// <summary>How far from a step answers are known: as far as an agent of a replay is given them.</summary>
    public static ulong Nearby => RecordedResponses.Nearby;

    /// <summary>What went wrong while they were read, as one line; null where nothing did.</summary>
    public string? Problem { get; private set; }

    /// <summary>Begins anew.</summary>
    public void Rewind()
    {
        Dispose();
        _reading = recorded().GetEnumerator();
        _ahead = null;
        _answers.Clear();
        _kept.Clear();
    }

    /// <summary>The answer to a question; null where it was not asked about then.</summary>
    /// <typeparam name="TAnswer">The answer's message.</typeparam>
    /// <param name="step">The step that the game is in; never an earlier one than before.</param>
    /// <param name="asked">One of the questions of a RequestQuery.</param>
    /// <param name="ignoreResources">Whether prices did not count; for ways they never do.</param>
    /// <param name="within">How many steps may lie between, at most <see cref="Nearby"/>; the nearest counts.</param>
    public TAnswer? Find<TAnswer>(ulong step, IMessage asked, bool ignoreResources, ulong within)
        where TAnswer : class, IMessage
    {
        MoveTo(step);
        if (!_answers.TryGetValue(Question.Of(asked, ignoreResources), out var answers))
        {
            return null;
        }

        var nearest = answers.MinBy(answer => Distance(answer.Step, step));
        return Distance(nearest.Step, step) <= within ? nearest.Answer as TAnswer : null;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _reading?.Dispose();
        _reading = null;
    }

    private static ulong Distance(ulong one, ulong other) => one < other ? other - one : one - other;

    // Records stand in the order of their answers: those of one step some steps apart at most.
    private void MoveTo(ulong step)
    {
        while (_kept.TryPeek(out var oldest) && oldest.Step + Nearby < step)
        {
            _kept.Dequeue();
            var answers = _answers[oldest.Question];
            answers.RemoveAt(0);
            if (answers.Count == 0)
            {
                _answers.Remove(oldest.Question);
            }
        }

        while (Peek() is { } record && record.Step <= step + Nearby)
        {
            if (record.Perspective == perspective && record.Step + Nearby >= step
                && (record.Request?.Query, record.Response?.Query) is ({ } query, { } answer))
            {
                Keep(record.Step, query.Pathing, answer.Pathing, query);
                Keep(record.Step, query.Abilities, answer.Abilities, query);
                Keep(record.Step, query.Placements, answer.Placements, query);
            }

            _ahead = null;
        }
    }

    private RequestRecord? Peek()
    {
        try
        {
            return _ahead ??= _reading?.MoveNext() == true ? _reading.Current : null;
        }
        catch (RecordingException damaged)
        {
            Problem = damaged.Message;
            Dispose();
            return null;
        }
    }

    private void Keep(ulong step, IReadOnlyList<IMessage> asked, IReadOnlyList<IMessage> answered, RequestQuery query)
    {
        for (var i = 0; i < asked.Count && asked.Count == answered.Count; i++)
        {
            var question = Question.Of(asked[i], query.IgnoreResourceRequirements);
            if (!_answers.TryGetValue(question, out var answers))
            {
                _answers[question] = answers = [];
            }

            answers.Add((step, answered[i]));
            _kept.Enqueue((step, question));
        }
    }

    private readonly record struct Question(Type Kind, ByteString Asked, bool IgnoreResources)
    {
        public static Question Of(IMessage asked, bool ignoreResources) =>
            new(asked.GetType(), asked.ToByteString(), ignoreResources && asked is not RequestQueryPathing);
    }
}
