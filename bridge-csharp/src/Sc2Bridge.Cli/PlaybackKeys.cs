using System.Globalization;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>Controls a playback with the keys of the terminal, and shows the state of the playback. Thread-safe.</summary>
/// <param name="playback">The playback.</param>
/// <param name="print">Prints the reason if a key has no effect.</param>
internal sealed class PlaybackKeys(IPlayback playback, Action<string> print)
{
    private const uint LoopsOfTenSeconds = 224;
    private const int MaxLoopDigits = 10;

    // Steps a second; 0 for maximum speed.
    private static readonly double[] _rates = [0.5, 1, 2, 4, 8, 16, 22.4, 44.8, 89.6, 179.2, 0];

    private readonly Lock _lock = new();
    private string? _typed;

    /// <summary>If the program has a terminal, starts to read keys. A thread reads them until the program ends.</summary>
    internal static PlaybackKeys Listen(IPlayback playback, Action<string> print)
    {
        var keys = new PlaybackKeys(playback, print);
        if (Consoles.CanReadKeys())
        {
            print("Keys: space pauses and resumes; right and left: a step; page down and up: 10 s of game time; home, "
                + "end; up and down: the speed; g and a number: a game loop");
            new Thread(keys.ReadKeys) { IsBackground = true, Name = "playback keys" }.Start();
        }

        return keys;
    }

    /// <summary>The playback's state.</summary>
    internal PlaybackState State => playback.Control(new ControlRequest());

    /// <summary>The playback's state as a line for people.</summary>
    internal string DescribeState()
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

    /// <summary>Handles a pressed key.</summary>
    internal void HandleKey(ConsoleKeyInfo key)
    {
        lock (_lock)
        {
            var request = _typed is null ? RequestOf(key, playback.Control(new ControlRequest())) : HandleTyping(key);
            try
            {
                _ = request is null ? null : playback.Control(request);
            }
            catch (RequestRefusedException refused)
            {
                print(refused.Message);
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

    // Reads the number of a game loop, digit by digit.
    private ControlRequest? HandleTyping(ConsoleKeyInfo key)
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
                    print($"{typed} is not a game loop: write a number of at most {uint.MaxValue}");
                }

                break;
            case { Key: ConsoleKey.Escape }:
                _typed = null;
                break;
            case { Key: ConsoleKey.Backspace }:
                _typed = typed[..Math.Max(0, typed.Length - 1)];
                break;
            case { KeyChar: >= '0' and <= '9' } when typed.Length < MaxLoopDigits:
                _typed = typed + key.KeyChar;
                break;
        }

        return null;
    }

    private void ReadKeys()
    {
        try
        {
            while (true)
            {
                HandleKey(Console.ReadKey(intercept: true));
            }
        }
        catch (Exception gone) when (gone is InvalidOperationException or IOException or RequestRefusedException)
        {
            // The terminal was closed, or the playback has ended.
        }
    }
}
