using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>
/// The recorded answers of a game, to whole requests and to the single questions of queries. It holds the answers of the
/// steps around the newest one that somebody asked about, and reads again from the beginning for a step that is far back.
/// Thread-safe.
/// </summary>
/// <param name="recorded">Reads all that was asked, from the beginning.</param>
internal sealed class RecordedAnswers(Func<IEnumerable<RequestRecord>> recorded) : IDisposable
{
    /// <summary>
    /// How far from a step answers are known: 20 seconds of a match with steps of a loop. An agent of a playback handles a
    /// frame of its queue, and asks, at another step than an agent of the match did.
    /// </summary>
    public const int Nearby = 448;

    // A hostile recording can have any number of requests at a step.
    private const long MostBytes = 32 << 20;
    private const int BytesOfEach = 200;

    private readonly Lock _lock = new();
    private readonly Dictionary<Question, Queue<(ulong Step, IMessage Answer)>> _answers = [];
    private readonly Queue<(ulong Step, Question Question, int Bytes)> _kept = [];
    private IEnumerator<RequestRecord>? _reading;
    private RequestRecord? _ahead;
    private ulong _furthest;
    private long _bytes;
    private bool _hasEnded;

    /// <summary>Why not all answers could be read, as one line; null if all could.</summary>
    public string? Problem { get; private set; }

    /// <summary>The record of a request that is nearest to a step; null if no record is nearby.</summary>
    /// <param name="step">The step.</param>
    /// <param name="perspective">Whose eyes the asker has.</param>
    /// <param name="request">The request; its id does not count.</param>
    public RequestRecord? Find(ulong step, uint perspective, Request request) =>
        Nearest(Question.Of(perspective, request), step, Nearby) as RequestRecord;

    /// <summary>The answer to a question of a query; null if no query asked it nearby.</summary>
    /// <typeparam name="TAnswer">The answer's message.</typeparam>
    /// <param name="step">The step.</param>
    /// <param name="perspective">Whose eyes the asker has.</param>
    /// <param name="asked">The question.</param>
    /// <param name="ignoreResources">Whether the query ignores what things cost.</param>
    /// <param name="within">How many steps off it may have been asked, at most <see cref="Nearby"/>.</param>
    public TAnswer? Find<TAnswer>(ulong step, uint perspective, IMessage asked, bool ignoreResources, ulong within)
        where TAnswer : class, IMessage =>
        Nearest(Question.Of(perspective, asked, ignoreResources), step, within) as TAnswer;

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_lock)
        {
            _hasEnded = true;
            _reading?.Dispose();
        }
    }

    private static ulong Distance(ulong one, ulong other) => one < other ? other - one : one - other;

    private IMessage? Nearest(Question question, ulong step, ulong within)
    {
        lock (_lock)
        {
            MoveTo(step);
            if (!_answers.TryGetValue(question, out var answers))
            {
                return null;
            }

            var nearest = answers.MinBy(answer => Distance(answer.Step, step));
            return Distance(nearest.Step, step) <= within ? nearest.Answer : null;
        }
    }

    // Askers may be some steps apart: so many more are kept than one needs.
    private void MoveTo(ulong step)
    {
        if (step + Nearby < _furthest)
        {
            _reading?.Dispose();
            (_reading, _ahead, _hasEnded, _furthest, _bytes) = (null, null, false, 0, 0);
            _answers.Clear();
            _kept.Clear();
        }

        _furthest = Math.Max(_furthest, step);
        while (_kept.TryPeek(out var oldest) && IsBehind(oldest.Step))
        {
            Drop();
        }

        while (Peek() is { } record && record.Step <= step + Nearby)
        {
            _ahead = null;
            if (!IsBehind(record.Step))
            {
                Keep(record);
            }
        }
    }

    private bool IsBehind(ulong step) => step + (2 * Nearby) < _furthest;

    // Records stand in the order of their answers: records of one step are some steps apart at most.
    private RequestRecord? Peek()
    {
        try
        {
            if (!_hasEnded && _ahead is null)
            {
                _reading ??= recorded().GetEnumerator();
                _hasEnded = !_reading.MoveNext();
                _ahead = _hasEnded ? null : _reading.Current;
            }

            return _ahead;
        }
        catch (RecordingException damaged)
        {
            (Problem, _hasEnded) = (damaged.Message, true);
            return null;
        }
    }

    private void Keep(RequestRecord record)
    {
        if (record.Request is not { } request)
        {
            return;
        }

        Keep(record.Step, Question.Of(record.Perspective, request), record);
        if ((request.Query, record.Response?.Query) is ({ } query, { } answer))
        {
            KeepEach(query.Pathing, answer.Pathing);
            KeepEach(query.Abilities, answer.Abilities);
            KeepEach(query.Placements, answer.Placements);
        }

        void KeepEach(IReadOnlyList<IMessage> asked, IReadOnlyList<IMessage> answered)
        {
            for (var i = 0; i < asked.Count && asked.Count == answered.Count; i++)
            {
                var question = Question.Of(record.Perspective, asked[i], request.Query.IgnoreResourceRequirements);
                Keep(record.Step, question, answered[i]);
            }
        }
    }

    private void Keep(ulong step, Question question, IMessage answer)
    {
        if (!_answers.TryGetValue(question, out var answers))
        {
            _answers[question] = answers = [];
        }

        answers.Enqueue((step, answer));
        var bytes = BytesOfEach + question.Asked.Length + answer.CalculateSize();
        _kept.Enqueue((step, question, bytes));
        _bytes += bytes;
        while (_bytes > MostBytes)
        {
            Drop();
        }
    }

    private void Drop()
    {
        var oldest = _kept.Dequeue();
        _bytes -= oldest.Bytes;
        var answers = _answers[oldest.Question];
        answers.Dequeue();
        if (answers.Count == 0)
        {
            _answers.Remove(oldest.Question);
        }
    }

    private readonly record struct Question(uint Perspective, Type Kind, ByteString Asked, bool IgnoreResources)
    {
        public static Question Of(uint perspective, IMessage asked, bool ignoreResources) => new(
            perspective, asked.GetType(), asked.ToByteString(), ignoreResources && asked is not RequestQueryPathing);

        public static Question Of(uint perspective, Request request)
        {
            if (request.HasId)
            {
                request = request.Clone();
                request.ClearId();
            }

            return Of(perspective, request, false);
        }
    }
}
