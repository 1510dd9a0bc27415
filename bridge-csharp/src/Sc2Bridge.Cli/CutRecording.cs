using System.Globalization;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Cli;

/// <summary>Repairs a recording that was cut off: its bridge was killed, or the disk was full.</summary>
/// <param name="say">Gets a line for each recording.</param>
internal sealed class CutRecording(Action<string> say)
{
    // A longer recording has had a whole chunk.
    private const long LongestWithoutChunk = 8 << 20;

    /// <summary>
    /// Repairs it, if no process writes it now. Also deletes the lock of a process that was killed after it gave the recording
    /// its name.
    /// </summary>
    /// <param name="path">The recording, under the name that it gets.</param>
    /// <param name="steps">The match's step log; null if the recording has no step log.</param>
    internal void Repair(string path, string? steps)
    {
        var partial = PartialFile.Of(path);
        if (File.Exists(partial) ? OutputPath.IsOwnFile(partial) && BeginsAsRecording(partial) : OutputPath.IsOwnFile(LockFile.Of(path)))
        {
            using var held = TryLock(path);
            if (held is not null && File.Exists(partial))
            {
                RepairLocked(path, partial, steps);
            }
            else if (held is null && File.Exists(partial) && LockFile.Doubt(LockFile.Of(path)) is { } doubt)
            {
                say($"{partial} is left as it is: {doubt}");
            }
        }
    }

    // A folder that cannot be written to is not repaired.
    private static LockFile? TryLock(string path)
    {
        try
        {
            return LockFile.TryAcquire(LockFile.Of(path));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private void RepairLocked(string path, string partial, string? steps)
    {
        if (new FileInfo(path) is { Exists: true, Length: > 0 })
        {
            // It has its name already: the process was killed right after that.
            File.Delete(partial);
            return;
        }

        var seen = steps is null ? null : CountRows(steps);
        long kept;
        try
        {
            using var cut = RecordingReader.Open(partial);
            kept = cut.Perspectives.Sum(cut.Count);
        }
        catch (RecordingException damage) when (new FileInfo(partial).Length > LongestWithoutChunk)
        {
            say($"{path} was cut off and cannot be repaired: {damage.Message}");
            return;
        }
        catch (RecordingException)
        {
            // Nothing of it was written whole: of a match that had just begun.
            File.Delete(partial);
            if (seen > 0)
            {
                say($"{path} was cut off before its first chunk: 0 steps kept, {seen} lost");
            }

            return;
        }

        try
        {
            // One may be left of a repair that was killed.
            var target = path + ".repaired";
            File.Delete(target);
            RecordingRepair.Repair(partial, target, CancellationToken.None);
            PartialFile.Publish(target, path);
            File.Delete(partial);
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            say($"{path} was cut off and cannot be repaired: {error.Message}");
            return;
        }

        var lost = seen is { } all
            ? string.Create(CultureInfo.InvariantCulture, $"{Math.Max(0, all - kept)} lost")
            : "steps of its last two seconds may be lost";
        say(string.Create(CultureInfo.InvariantCulture, $"{path} was cut off, and is repaired: {kept} steps kept, {lost}"));
    }

    // Other programs name their files so, too: a recording of the bridge's tells so in its first record.
    private static bool BeginsAsRecording(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        Span<byte> begin = stackalloc byte[256];
        begin = begin[..file.ReadAtLeast(begin, begin.Length, throwOnEndOfStream: false)];
        return begin.IsEmpty || begin.IndexOf("sc2bridge"u8) >= 0;
    }

    // Steps that were observed; null if that is not known.
    private static long? CountRows(string steps)
    {
        var path = File.Exists(PartialFile.Of(steps)) ? PartialFile.Of(steps) : steps;

        // A row of a step that was skipped has empty cells.
        return File.Exists(path)
            ? File.ReadLines(path).Skip(1).LongCount(row => row.Split(',') is [_, { Length: > 0 }, ..])
            : null;
    }
}
