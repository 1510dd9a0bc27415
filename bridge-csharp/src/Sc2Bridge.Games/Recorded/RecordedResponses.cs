using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>
/// What agents were answered when a match was recorded, for those who ask the same again at about the same step. Reads
/// the recording as far as is needed, once. Thread-safe.
/// </summary>
/// <param name="open">Opens the recording, when it is first asked; it is read here alone.</param>
internal sealed class RecordedResponses(Func<RecordingReader> open) : IDisposable
{
    /// <summary>
    /// How many steps may lie between a request and the recorded one: 448, 20 s of steps of one loop. Who asks while
    /// handling a frame of its queue is that far behind the match, more or less, at every time of playing.
    /// </summary>
    public const int Nearby = 448;

    /// <summary>The most bytes of records that are kept: 256 MiB.</summary>
    public const long MostBytes = 256 << 20;

    private readonly Lock _lock = new();
    private readonly Dictionary<(uint Perspective, ByteString Request), List<RequestRecord>> _records = [];
    private RecordingReader? _recording;
    private IEnumerator<RequestRecord>? _unread;
    private bool _allRead;
    private ulong _readTo;
    private long _bytes;

    /// <summary>What the recording does not tell, in one line; null where all of it could be read so far.</summary>
    public string? Problem { get; private set; }

    /// <summary>The record of the same request, of all within <see cref="Nearby"/> steps the nearest.</summary>
    /// <param name="step">The newest step when it was asked.</param>
    /// <param name="perspective">Whose connection to the game it went over.</param>
    /// <param name="request">What was asked; its id does not matter.</param>
    /// <returns>What came of it, an answer or a refusal, to be left as it is; null where there is none.</returns>
    public RequestRecord? Find(ulong step, uint perspective, Request request)
    {
        ArgumentNullException.ThrowIfNull(request);
        lock (_lock)
        {
            ReadTo(step + Nearby);
            if (!_records.TryGetValue((perspective, KeyOf(request)), out var records))
            {
                return null;
            }

            var nearest = records.MinBy(record => Distance(record.Step, step))!;
            return Distance(nearest.Step, step) <= Nearby ? nearest : null;
        }
    }

    /// <summary>Closes the recording.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _allRead = true;
            _unread?.Dispose();
            _recording?.Dispose();
        }
    }

    private static ulong Distance(ulong one, ulong other) => one < other ? other - one : one - other;

    private static ByteString KeyOf(Request request)
    {
        if (!request.HasId)
        {
            return request.ToByteString();
        }

        var bare = request.Clone();
        bare.ClearId();
        return bare.ToByteString();
    }

    // They stand in the order of their steps.
    private void ReadTo(ulong step)
    {
        try
        {
            while (!_allRead && _readTo <= step)
            {
                _unread ??= (_recording = open()).Requests().GetEnumerator();
                if (_unread.MoveNext())
                {
                    Keep(_unread.Current);
                }
                else
                {
                    _allRead = true;
                }
            }
        }
        catch (RecordingException damaged)
        {
            _allRead = true;
            Problem = damaged.Message;
        }
    }

    private void Keep(RequestRecord record)
    {
        _readTo = Math.Max(_readTo, record.Step);
        _bytes += record.CalculateSize();
        if (_bytes > MostBytes)
        {
            _allRead = true;
            Problem = $"the recording has more than {MostBytes >> 20} MiB of answers, and only those are kept";
            return;
        }

        if (record.Request is { } request)
        {
            var key = (record.Perspective, KeyOf(request));
            if (!_records.TryGetValue(key, out var records))
            {
                _records[key] = records = [];
            }

            record.Request = null;
            records.Add(record);
        }
    }
}
