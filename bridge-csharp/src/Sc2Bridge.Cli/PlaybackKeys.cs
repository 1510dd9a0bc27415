using System.Globalization;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>The keys of a terminal that control a playback, and the line with its state. Thread-safe.</summary>
/// <param name="playback">What they control.</param>
/// <param name="say">Gets the reason if a key has no effect.</param>
internal sealed class PlaybackKeys(IPlayback playback, Action<string> say)
{
    private const uint LoopsOfTenSeconds = 224;
    private const int LongestLoop = 10;

    // Steps a second; 0 is as fast as it goes.
    private static readonly double[] _rates = [0.5, 1, 2, 4, 8, 16, 22.4, 44.8, 89.6, 179.2, 0];

    private readonly Lock _lock = new();
    private string? _typed;

    /// <summary>Takes the keys of the terminal for as long as the program runs, where there is one.</summary>
    internal static PlaybackKeys Listen(IPlayback playback, Action<string> say)
    {
        var keys = new PlaybackKeys(playback, say);
        if (Consoles.HasKeys())
        {
            say("Keys: space holds it and lets it go on; right and left a step, page down and up 10 s of game, home, "
                + "end; up and down its speed; g and a number goes to a game loop");
            new Thread(keys.Read) { IsBackground = true, Name = "playback keys" }.Start();
        }

        return keys;
    }

    /// <summary>The playback's state.</summary>
    internal PlaybackState State => playback.Control(new ControlRequest());

    /// <summary>The playback's state as a line for people.</summary>
    internal string Line()
    {
        var state = State;
        lock (_lock)
        {
            var line = string.Create(
                CultureInfo.InvariantCulture,
                $"{(state.Paused ? "held at" : "at")} game loop {state.GameLoop} of {state.FirstGameLoop}-"
                + $"{state.LastGameLoop}, {(state.Rate == 0 ? "max" : $"{state.Rate} steps/s")}"
                + $"{(state.Repeats ? ", in a loop" : "")}");
            return _typed is null ? line : $"{line}; go to game loop: {_typed}_";
        }
    }

    /// <summary>A key was pressed.</summary>
    internal void Press(ConsoleKeyInfo key)
    {
        lock (_lock)
        {
            var request = _typed is null ? RequestOf(key, playback.Control(new ControlRequest())) : Type(key);
            try
            {
                _ = request is null ? null : playback.Control(request);
            }
            catch (RequestRefusedException refused)
            {
                say(refused.Message);
            }
        }
    }

    private ControlRequest? RequestOf(ConsoleKeyInfo key, PlaybackState state)
    {
        switch (key.Key)
        {
            case ConsoleKey.Spacebar:
                return new ControlRequest { Pause = !state.Paused };
            case ConsoleKey.RightArrow:
                return new ControlRequest { Step = 1 };
            case ConsoleKey.LeftArrow:
                return new ControlRequest { Step = -1 };
            case ConsoleKey.PageDown:
                return new ControlRequest
                {
                    SeekLoop = (uint)Math.Min((ulong)state.GameLoop + LoopsOfTenSeconds, state.LastGameLoop),
                };
            case ConsoleKey.PageUp:
                return new ControlRequest
                {
                    SeekLoop = (uint)Math.Max((long)state.GameLoop - LoopsOfTenSeconds, state.FirstGameLoop),
                };
            case ConsoleKey.Home:
                return new ControlRequest { SeekStep = state.FirstStep };
            case ConsoleKey.End:
                return new ControlRequest { SeekStep = state.LastStep };
            case ConsoleKey.UpArrow:
                return new ControlRequest { Rate = Faster(state.Rate) };
            case ConsoleKey.DownArrow:
                return new ControlRequest { Rate = Slower(state.Rate) };
            case ConsoleKey.G:
                _typed = "";
                return null;
            default:
                return null;
        }
    }

    private static double Faster(double rate) => rate == 0 ? 0 : _rates.FirstOrDefault(other => other > rate);

    private static double Slower(double rate) =>
        _rates.LastOrDefault(other => other > 0 && (rate == 0 || other < rate), _rates[0]);

    // A game loop, digit by digit.
    private ControlRequest? Type(ConsoleKeyInfo key)
    {
        var typed = _typed!;
        switch (key)
        {
            case { Key: ConsoleKey.Enter }:
                _typed = null;
                if (uint.TryParse(typed, NumberStyles.None, CultureInfo.InvariantCulture, out var loop))
                {
                    return new ControlRequest { SeekLoop = loop };
                }

                if (typed.Length > 0)
                {
                    say($"{typed} is not a game loop");
                }

                break;
            case { Key: ConsoleKey.Escape }:
                _typed = null;
                break;
            case { Key: ConsoleKey.Backspace }:
                _typed = typed[..Math.Max(0, typed.Length - 1)];
                break;
            case { KeyChar: >= '0' and <= '9' } when typed.Length < LongestLoop:
                _typed = typed + key.KeyChar;
                break;
        }

        return null;
    }

    private void Read()
    {
        try
        {
            while (true)
            {
                Press(Console.ReadKey(intercept: true));
            }
        }
        catch (Exception gone) when (gone is InvalidOperationException or IOException or RequestRefusedException)
        {
            // The terminal, or the playback.
        }
    }
}
