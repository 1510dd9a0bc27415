using System.Text;

namespace Sc2Bridge.Processes;

/// <summary>Reads a program's output by lines. A line that is too long is split, so that no program can fill the memory.</summary>
internal static class LineReader
{
    internal const int LongestLine = 1 << 16;

    /// <summary>Reads to the end.</summary>
    /// <param name="reader">The output.</param>
    /// <param name="receive">Receives each line without its end.</param>
    internal static async Task ReadAsync(TextReader reader, Action<string> receive)
    {
        var buffer = new char[4096];
        var line = new StringBuilder();
        while (await reader.ReadAsync(buffer) is > 0 and var count)
        {
            for (var at = 0; at < count; at++)
            {
                var character = buffer[at];
                if (character == '\n' || line.Length == LongestLine)
                {
                    End();
                }

                if (character != '\n')
                {
                    line.Append(character);
                }
            }
        }

        if (line.Length > 0)
        {
            End();
        }

        void End()
        {
            receive(line is [.., '\r'] ? line.ToString(0, line.Length - 1) : line.ToString());
            line.Clear();
        }
    }
}
