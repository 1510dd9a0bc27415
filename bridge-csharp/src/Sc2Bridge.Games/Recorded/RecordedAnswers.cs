using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>
/// Finds the answers that a game gave in the recorded match: to requests, and to each single question in a query. Answers near
/// the latest requested step are buffered. For a much earlier step, the recording is read again from its beginning. Thread-safe.
/// </summary>
/// <param name="readRequests">Reads all recorded requests, from the beginning.</param>
internal sealed class RecordedAnswers(Func<IEnumerable<RequestRecord>> readRequests) : IDisposable
{
    /// <summary>
    /// The largest distance in steps between a request and a recorded answer: 20 seconds if each step is one loop. Frames may wait in an
    /// agent's queue, so an agent of the playback may send a request some steps earlier or later than the agent of the recorded match.
    /// </summary>
    public const int NearbySteps = 448;

    // The limit of all buffered answers together, because a hostile recording can have any number of requests at one step.
    private const long MostBufferedBytes = 32 << 20;
    private const int OverheadBytes = 200;

    private readonly Lock _lock = new();
    private readonly Dictionary<Question, Queue<(ulong Step, IMessage Answer)>> _answers = [];
    private readonly Queue<(ulong Step, Question Question, int Bytes)> _insertionOrder = [];
    private IEnumerator<RequestRecord>? _recordReader;
    private RequestRecord? _nextRecord;
    private ulong _newestStep;
    private long _bufferedBytes;
    private bool _hasEnded;

    /// <summary>Why some answers could not be read, as one line; null if all answers could be read.</summary>
    public string? Problem { get; private set; }

    /// <summary>Finds the record of an equal request at the nearest step; null if no such record is within <see cref="NearbySteps"/> steps.</summary>
    /// <param name="step">The step.</param>
    /// <param name="perspective">The perspective of the client.</param>
    /// <param name="request">The request. Its id is ignored.</param>
    public RequestRecord? Find(ulong step, uint perspective, Request request) =>
        Nearest(Question.Of(perspective, request), step, NearbySteps) as RequestRecord;

    /// <summary>Finds the answer to one question of a query; null if no query within <paramref name="maxDistance"/> steps asked the question.</summary>
    /// <typeparam name="TAnswer">The answer's message.</typeparam>
    /// <param name="step">The step.</param>
    /// <param name="perspective">The perspective of the client.</param>
    /// <param name="asked">The question.</param>
    /// <param name="ignoreResources">Whether the query ignores costs.</param>
    /// <param name="maxDistance">The largest accepted distance from the step, in steps; at most <see cref="NearbySteps"/>.</param>
    public TAnswer? Find<TAnswer>(ulong step, uint perspective, IMessage asked, bool ignoreResources, ulong maxDistance)
        where TAnswer : class, IMessage =>
        Nearest(Question.Of(perspective, asked, ignoreResources), step, maxDistance) as TAnswer;

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_lock)
        {
            _hasEnded = true;
            _recordReader?.Dispose();
        }
    }

    private static ulong Distance(ulong one, ulong other) => one < other ? other - one : one - other;

    private IMessage? Nearest(Question question, ulong step, ulong maxDistance)
    {
        lock (_lock)
        {
            MoveTo(step);
            if (!_answers.TryGetValue(question, out var answers))
            {
                return null;
            }

            var nearest = answers.MinBy(answer => Distance(answer.Step, step));
            return Distance(nearest.Step, step) <= maxDistance ? nearest.Answer : null;
        }
    }

    // Clients may be some steps apart, so answers stay buffered for twice the number of nearby steps.
    private void MoveTo(ulong step)
    {
        if (step + NearbySteps < _newestStep)
        {
            _recordReader?.Dispose();
            (_recordReader, _nextRecord, _hasEnded, _newestStep, _bufferedBytes) = (null, null, false, 0, 0);
            _answers.Clear();
            _insertionOrder.Clear();
        }

        _newestStep = Math.Max(_newestStep, step);
        while (_insertionOrder.TryPeek(out var oldest) && IsBehind(oldest.Step))
        {
            EvictOldest();
        }

        while (PeekRecord() is { } record && record.Step <= step + NearbySteps)
        {
            _nextRecord = null;
            if (!IsBehind(record.Step))
            {
                Keep(record);
            }
        }
    }

    private bool IsBehind(ulong step) => step + (2 * NearbySteps) < _newestStep;

    // The records are in the order of the answers, so a record's step is at most a few steps lower than the step of the record before.
    private RequestRecord? PeekRecord()
    {
        try
        {
            if (!_hasEnded && _nextRecord is null)
            {
                _recordReader ??= readRequests().GetEnumerator();
                _hasEnded = !_recordReader.MoveNext();
                _nextRecord = _hasEnded ? null : _recordReader.Current;
            }

            return _nextRecord;
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
        var bytes = OverheadBytes + question.Asked.Length + answer.CalculateSize();
        _insertionOrder.Enqueue((step, question, bytes));
        _bufferedBytes += bytes;
        while (_bufferedBytes > MostBufferedBytes)
        {
            EvictOldest();
        }
    }

    private void EvictOldest()
    {
        var oldest = _insertionOrder.Dequeue();
        _bufferedBytes -= oldest.Bytes;
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
