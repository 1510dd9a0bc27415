using System.IO.Hashing;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>
/// What agents were answered when a match was recorded, for those who ask the same again at about the same step. Reads
/// the recording as far as is needed, and keeps where each answer is. Thread-safe.
/// </summary>
/// <param name="open">Opens the recording, when it is first asked; it is read here alone.</param>
internal sealed class RecordedResponses(Func<RecordingReader> open) : IDisposable
{
    /// <summary>
    /// How many steps may lie between a request and the recorded one: 448, 20 s of steps of one loop. Who asks while
    /// handling a frame of its queue is that far behind the match, more or less, at every time of playing.
    /// </summary>
    public const int Nearby = 448;

    private readonly Lock _lock = new();
    private readonly Dictionary<UInt128, List<(ulong Step, MessageLocation Location)>> _records = [];
    private RecordingReader? _recording;
    private IEnumerator<(MessageLocation Location, RequestRecord Record)>? _unread;
    private bool _allRead;
    private ulong _readTo;

    /// <summary>What the recording does not tell, in one line; null where all of it could be read so far.</summary>
    public string? Problem { get; private set; }

    /// <summary>The record of the same request, of all within <see cref="Nearby"/> steps the nearest.</summary>
    /// <param name="step">The newest step when it was asked.</param>
    /// <param name="perspective">Whose connection to the game it went over.</param>
    /// <param name="request">What was asked; its id does not matter.</param>
    /// <returns>Its answer or refusal; null if it was not asked then.</returns>
    public RequestRecord? Find(ulong step, uint perspective, Request request)
    {
        ArgumentNullException.ThrowIfNull(request);
        lock (_lock)
        {
            ReadTo(step + Nearby);
            if (!_records.TryGetValue(KeyOf(perspective, request), out var records))
            {
                return null;
            }

            var nearest = records.MinBy(record => Distance(record.Step, step));
            return Distance(nearest.Step, step) <= Nearby ? Read(nearest.Location) : null;
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

    private static UInt128 KeyOf(uint perspective, Request request)
    {
        var bare = request;
        if (request.HasId)
        {
            bare = request.Clone();
            bare.ClearId();
        }

        return XxHash128.HashToUInt128(bare.ToByteArray(), perspective);
    }

    private RequestRecord? Read(MessageLocation location)
    {
        try
        {
            return _recording!.ReadRequest(location);
        }
        catch (RecordingException damaged)
        {
            Problem = damaged.Message;
            return null;
        }
    }

    // They stand in the order of their steps.
    private void ReadTo(ulong step)
    {
        try
        {
            while (!_allRead && _readTo <= step)
            {
                _unread ??= (_recording = open()).LocatedRequests().GetEnumerator();
                if (_unread.MoveNext())
                {
                    Keep(_unread.Current.Location, _unread.Current.Record);
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

    private void Keep(MessageLocation location, RequestRecord record)
    {
        _readTo = Math.Max(_readTo, record.Step);
        if (record.Request is { } request)
        {
            var key = KeyOf(record.Perspective, request);
            if (!_records.TryGetValue(key, out var records))
            {
                _records[key] = records = [];
            }

            records.Add((record.Step, location));
        }
    }
}
