using SC2APIProtocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Reads the observations of some perspectives one after the other, all together in the order of their arrival, from
/// any place on. It holds the chunk that it is in, and where perspectives lie apart one for each. For one thread at a
/// time with all else that reads the same <see cref="RecordingReader"/>.
/// </summary>
/// <remarks>
/// Each perspective is sought on its own: after <see cref="SeekLoop"/> each goes on with its first observation of that
/// loop or a later one.
/// </remarks>
public sealed class ObservationReader : IDisposable
{
    private readonly RecordingErrors _errors;
    private readonly Track[] _tracks;
    private Track? _last;

    internal ObservationReader(RecordingErrors errors, IEnumerable<Track> tracks)
    {
        _errors = errors;
        _tracks = [.. tracks];
    }

    /// <summary>The perspectives.</summary>
    public IEnumerable<uint> Perspectives => _tracks.Select(track => track.Perspective);

    /// <summary>The next observation.</summary>
    /// <param name="observation">It; its bytes are valid until the next call of any method here.</param>
    /// <returns>
    /// False at the end: of the recording, or of what of it is whole (see <see cref="RecordingReader.Problem"/>).
    /// </returns>
    /// <exception cref="RecordingException">
    /// The chunk that comes next is damaged, or parsing the observation would take too much memory. All before it were
    /// returned. Seeking may lead beyond it.
    /// </exception>
    public bool Next(out RecordedObservation observation)
    {
        try
        {
            _last?.Cursor.Advance();
            _last = null;
            var chunk = PeekFirst(out var message);
            if (chunk is null)
            {
                observation = default;
                return false;
            }

            var bytes = chunk.DataOf(message);
            ParsedSize.Check<ResponseObservation>(bytes.Span, _last!.Cursor.Offset, "the observation", message.Sequence);
            observation = new RecordedObservation(
                _last.Perspective, message.Sequence, (long)message.PublishTime, (long)message.LogTime, bytes);
            return true;
        }
        catch (Exception error) when (RecordingErrors.IsOfFile(error))
        {
            throw _errors.Of(error);
        }
    }

    /// <summary>Goes to the first observation of a step, or of the next one that is there.</summary>
    /// <exception cref="RecordingException">
    /// It stands, or may stand, in a chunk that is damaged; the reader stays where it was.
    /// </exception>
    public void SeekStep(ulong step) =>
        Seek(track => track.Search.Find(MessageKey.Sequence, step));

    /// <summary>Goes to the first observation of a game loop, or of the next one that is there.</summary>
    /// <exception cref="RecordingException">
    /// It stands, or may stand, in a chunk that is damaged; the reader stays where it was.
    /// </exception>
    public void SeekLoop(uint loop) => Seek(track => track.Search.Find(MessageKey.GameLoop, loop));

    /// <summary>Goes to the first observation that arrived then or later.</summary>
    /// <param name="observedNs">Nanoseconds of Unix time.</param>
    /// <exception cref="RecordingException">
    /// It stands, or may stand, in a chunk that is damaged; the reader stays where it was.
    /// </exception>
    public void SeekTime(long observedNs) =>
        Seek(track => track.Search.Find(MessageKey.LogTime, (ulong)Math.Max(0, observedNs)));

    /// <summary>Goes to each perspective's observation of that number.</summary>
    /// <param name="index">Counts a perspective's observations from 0, whatever their steps.</param>
    /// <exception cref="RecordingException">
    /// It stands, or may stand, in a chunk that is damaged; the reader stays where it was.
    /// </exception>
    public void SeekIndex(long index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        Seek(track => track.Counts.Find(index));
    }

    /// <summary>Releases what it holds.</summary>
    public void Dispose()
    {
        _last = null;
        foreach (var track in _tracks)
        {
            track.Cursor.Dispose();
        }
    }

    // Of all tracks the message that arrived first, of the first perspective where two arrived at the same time. A
    // damaged chunk is told of when all before it were given, and nothing behind it is.
    private LoadedChunk? PeekFirst(out MessagePlace message)
    {
        LoadedChunk? chunk = null;
        McapException? damage = null;
        var limit = int.MaxValue;
        message = default;
        foreach (var track in _tracks)
        {
            try
            {
                if (track.Cursor.Peek(out var candidate) is { } holding
                    && (chunk is null || candidate.LogTime < message.LogTime))
                {
                    (_last, message, chunk) = (track, candidate, holding);
                }
            }
            catch (McapException found)
            {
                damage = found;
                limit = Math.Min(limit, track.Cursor.Place);
            }
        }

        if (damage is not null && (chunk is null || chunk.Place > limit))
        {
            _last = null;
            throw damage;
        }

        return chunk;
    }

    private void Seek(Func<Track, (int Place, int Message)> find)
    {
        try
        {
            var found = _tracks.Select(find).ToList();
            for (var track = 0; track < _tracks.Length; track++)
            {
                _tracks[track].Cursor.Move(found[track].Place, found[track].Message);
            }

            _last = null;
        }
        catch (Exception error) when (RecordingErrors.IsOfFile(error))
        {
            throw _errors.Of(error);
        }
    }

    internal sealed record Track(uint Perspective, ChannelCursor Cursor, ChannelSearch Search, ChannelCounts Counts);
}
