using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The newest drawing of each perspective's agents in one match, for viewers. As in the game, a drawing replaces the
/// previous drawing. Thread-safe.
/// </summary>
internal sealed class Drawings
{
    // A larger drawing is not kept, because a viewer gets all drawings in one message.
    private const int MostBytes = 64 << 10;

    private readonly Lock _lock = new();
    private readonly Dictionary<uint, Drawing> _newest = [];

    /// <summary>One drawing for each perspective whose agents have drawn something. Do not change the drawings.</summary>
    public Drawing[] All
    {
        get
        {
            lock (_lock)
            {
                return [.. _newest.Values];
            }
        }
    }

    /// <summary>Call this method when the game has answered a request. A drawing in the request is kept, unless the game has refused it.</summary>
    public void OnAnswered(RequestRecord record)
    {
        if (record.Request?.Debug?.Debug.LastOrDefault(command => command.Draw is not null)?.Draw is not { } draw
            || record.Response.Error.Count > 0)
        {
            return;
        }

        lock (_lock)
        {
            if (draw.CalculateSize() is 0 or > MostBytes)
            {
                _newest.Remove(record.Perspective);
                return;
            }

            _newest[record.Perspective] = new Drawing
            {
                Perspective = record.Perspective,
                Agent = record.Agent,
                Step = record.Step,
                Draw = draw,
            };
        }
    }
}
