using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Results in a bucket of an S3-compatible store, which renames nothing: files go to <c>ID/WORKER/</c>, and then
/// <c>ID/result.json</c> names that folder, which the store takes once (<c>If-None-Match: *</c>). Who connects, and where to,
/// is the environment's, as Amazon's tools read it.
/// </summary>
internal sealed partial class BucketStore : ResultStore
{
    /// <summary>What an address begins with.</summary>
    internal const string Scheme = "s3://";

    // Of a worker that has begun a job: it is there before a long match is played for a store that takes nothing.
    private const string BegunMark = ".begun";

    private const int ReadAtOnce = 16;

    private static readonly TimeSpan _longestConnect = TimeSpan.FromSeconds(5);

    // A whole file goes in one request; that a job has its time ends those that stand still sooner.
    private static readonly TimeSpan _longestRequest = TimeSpan.FromMinutes(20);

    private readonly string _bucket;
    private readonly string _prefix;
    private readonly string _worker;
    private readonly string? _endpoint;
    private readonly Lazy<AmazonS3Client> _client;
    private readonly Lazy<string> _scratch = new(() => Directory.CreateTempSubdirectory("sc2bridge-work-").FullName);
    private int _made;

    /// <summary>Reads an address.</summary>
    /// <param name="where">It.</param>
    /// <param name="worker">Who makes results.</param>
    /// <param name="endpoint">The store's URL; null: as the environment has it.</param>
    /// <param name="credentials">Who connects; null: as the environment has it.</param>
    /// <exception cref="ResultStoreException">It is none.</exception>
    internal BucketStore(string where, string worker, string? endpoint = null, AWSCredentials? credentials = null)
    {
        var parts = where[Scheme.Length..].Split('/', 2);
        if (!BucketName().IsMatch(parts[0]))
        {
            // Not repeated: somebody may have written a key into it.
            throw new ResultStoreException("that is no bucket: write s3://BUCKET or s3://BUCKET/PREFIX, and keys into the environment");
        }

        _bucket = parts[0];
        _prefix = parts.Length > 1 && parts[1].Trim('/') is { Length: > 0 } prefix ? $"{prefix}/" : "";
        _worker = worker;
        _endpoint = endpoint ?? Variable("AWS_ENDPOINT_URL_S3") ?? Variable("AWS_ENDPOINT_URL");
        _client = new Lazy<AmazonS3Client>(() => Connect(credentials));
    }

    /// <summary>Without what the endpoint's URL may have before its host.</summary>
    public override string ToString() => $"{Scheme}{_bucket}/{_prefix}".TrimEnd('/')
        + (Uri.TryCreate(_endpoint, UriKind.Absolute, out var at) ? $" at {at.Host}:{at.Port}" : "");

    /// <inheritdoc/>
    public override Task OpenAsync(CancellationToken ct) => AskAsync(client => client.ListObjectsV2Async(
        new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix, MaxKeys = 1 }, ct), ct);

    /// <inheritdoc/>
    public override async Task<bool> HasAsync(string id, CancellationToken ct) => await ReadAsync(id, ct) is not null;

    /// <inheritdoc/>
    public override async Task<string> BeginAsync(string id, CancellationToken ct)
    {
        var folder = string.Create(CultureInfo.InvariantCulture, $"{_worker}-{Interlocked.Increment(ref _made)}");
        await PutAsync(new PutObjectRequest { Key = Key(id, folder + BegunMark), ContentBody = "" }, ct);
        return Directory.CreateDirectory(Path.Combine(_scratch.Value, id, folder)).FullName;
    }

    /// <inheritdoc/>
    public override async Task PublishAsync(string folder, JobResult result, CancellationToken ct)
    {
        var id = result.Job.Id;
        if (!await HasAsync(id, ct))
        {
            var own = Path.GetFileName(folder);
            foreach (var file in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
            {
                var name = Path.GetRelativePath(folder, file).Replace(Path.DirectorySeparatorChar, '/');
                await PutAsync(new PutObjectRequest { Key = Key(id, $"{own}/{name}"), FilePath = file }, ct);
            }

            var whole = new PutObjectRequest
            {
                Key = Key(id, ResultFile),
                ContentBody = Jobs.Text(new JobResult(result) { Folder = own }) + "\n",
                ContentType = "application/json",
                IfNoneMatch = "*",
            };
            try
            {
                await PutAsync(whole, ct);
            }
            catch (ResultStoreException refused) when (refused.InnerException is AmazonS3Exception
            {
                StatusCode: HttpStatusCode.PreconditionFailed or HttpStatusCode.Conflict,
            })
            {
                // Somebody else was quicker, or this was taken, the answer lost and asked for again: what is there tells.
            }
        }

        if (!await IsClearedAsync(id, ct))
        {
            throw new ResultStoreException($"{this} did not keep the result of {id}, and has none: look who deletes there");
        }
    }

    /// <inheritdoc/>
    public override Task ClearAsync(string id, CancellationToken ct) => IsClearedAsync(id, ct);

    /// <inheritdoc/>
    public override async Task EndAsync(string folder)
    {
        var id = Path.GetDirectoryName(folder)!;
        try
        {
            Directory.Delete(folder, recursive: true);
            Directory.Delete(id);
        }
        catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
        {
            // Somebody took it away, or this worker does the job a second time.
        }

        try
        {
            // Files that went up stay until the job has a result: it may be theirs, where the answer was lost.
            await DeleteAsync(Key(Path.GetFileName(id), Path.GetFileName(folder) + BegunMark), CancellationToken.None);
        }
        catch (ResultStoreException)
        {
            // So does the mark.
        }
    }

    /// <inheritdoc/>
    public override async Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAsync(CancellationToken ct)
    {
        var (begun, done) = (new HashSet<string>(StringComparer.Ordinal), new List<string>());
        await foreach (var key in KeysAsync(_prefix, ct))
        {
            if (key[_prefix.Length..].Split('/', 2) is [var id, var name])
            {
                begun.Add(id);
                if (name == ResultFile)
                {
                    done.Add(id);
                }
            }
        }

        var results = new ConcurrentBag<JobResult>();
        await Parallel.ForEachAsync(
            done, new ParallelOptions { MaxDegreeOfParallelism = ReadAtOnce, CancellationToken = ct }, async (id, stop) =>
            {
                if (await ReadAsync(id, stop) is { } result)
                {
                    results.Add(result);
                }
            });
        return ([.. results], begun.Count - done.Count);
    }

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;

    private string Key(string id, string name) => $"{_prefix}{id}/{name}";

    // Null where there is none.
    private async Task<JobResult?> ReadAsync(string id, CancellationToken ct)
    {
        try
        {
            return await AskAsync(
                async client =>
                {
                    using var answer = await client.GetObjectAsync(_bucket, Key(id, ResultFile), ct);
                    using var text = new StreamReader(answer.ResponseStream, Encoding.UTF8);
                    return Jobs.ReadResult(await text.ReadToEndAsync(ct));
                },
                ct);
        }
        catch (ResultStoreException none) when (none.InnerException is AmazonS3Exception { ErrorCode: "NoSuchKey" })
        {
            return null;
        }
    }

    // False where there is no result: what is there may become one.
    private async Task<bool> IsClearedAsync(string id, CancellationToken ct)
    {
        if (await ReadAsync(id, ct) is not { } result)
        {
            return false;
        }

        // Of a result that names no folder, as a copy of one that was made in a folder, all is its own.
        var own = Key(id, result.Folder.Length > 0 ? $"{result.Folder}/" : "");
        await foreach (var key in KeysAsync(Key(id, ""), ct))
        {
            if (key != Key(id, ResultFile) && !key.StartsWith(own, StringComparison.Ordinal))
            {
                await DeleteAsync(key, ct);
            }
        }

        return true;
    }

    private async IAsyncEnumerable<string> KeysAsync(
        string prefix, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct)
    {
        var request = new ListObjectsV2Request { BucketName = _bucket, Prefix = prefix };
        do
        {
            var page = await AskAsync(client => client.ListObjectsV2Async(request, ct), ct);
            foreach (var found in page.S3Objects ?? [])
            {
                yield return found.Key;
            }

            request.ContinuationToken = page.NextContinuationToken;
        }
        while (request.ContinuationToken is not null);
    }

    private Task<PutObjectResponse> PutAsync(PutObjectRequest request, CancellationToken ct)
    {
        request.BucketName = _bucket;

        // In Amazon's own framing by default, which not every other store takes off.
        request.UseChunkEncoding = false;
        return AskAsync(client => client.PutObjectAsync(request, ct), ct);
    }

    private Task<DeleteObjectResponse> DeleteAsync(string key, CancellationToken ct) =>
        AskAsync(client => client.DeleteObjectAsync(_bucket, key, ct), ct);

    private async Task<T> AskAsync<T>(Func<AmazonS3Client, Task<T>> ask, CancellationToken ct)
    {
        try
        {
            return await ask(_client.Value);
        }
        catch (Exception failure) when (failure
            is AmazonServiceException or AmazonClientException or HttpRequestException or OperationCanceledException)
        {
            ct.ThrowIfCancellationRequested();
            throw new ResultStoreException($"{this} {Explain(failure)}", failure);
        }
    }

    private AmazonS3Client Connect(AWSCredentials? credentials)
    {
        var settings = new AmazonS3Config
        {
            ConnectTimeout = _longestConnect,
            Timeout = _longestRequest,

            // Not every other store knows the checksums that Amazon's own takes.
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
        };
        if (_endpoint is not null)
        {
            if (!Uri.TryCreate(_endpoint, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            {
                throw new ResultStoreException(
                    $"{this} cannot be asked: AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL, is no URL: write https://HOST or https://HOST:PORT");
            }

            // A store of one's own has as a rule no name for each bucket, and no regions.
            settings.ServiceURL = _endpoint;
            settings.ForcePathStyle = true;
            settings.AuthenticationRegion = Variable("AWS_REGION") ?? "us-east-1";
        }

        return credentials is null ? new AmazonS3Client(settings) : new AmazonS3Client(credentials, settings);
    }

    // Codes: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. The library's own messages may repeat what was sent.
    private static string Explain(Exception failure) => failure switch
    {
        AmazonS3Exception { ErrorCode: "NoSuchBucket" } => "is not there: make the bucket, or name another",
        AmazonS3Exception { ErrorCode: "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" } told =>
            $"is in another region ({told.ErrorCode}): set AWS_REGION to the bucket's",
        AmazonS3Exception { StatusCode: HttpStatusCode.Forbidden or HttpStatusCode.Unauthorized } told =>
            $"does not let you in ({told.ErrorCode}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of somebody who may list, read, "
            + "write and delete there",
        AmazonS3Exception { ErrorCode.Length: > 0 } told => $"refuses ({told.ErrorCode}): look into the store's log",
        AmazonClientException => "cannot be asked: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_REGION or, of a store that "
            + "is not Amazon's, AWS_ENDPOINT_URL_S3",
        _ => $"does not answer ({BrokerAddress.Cause(failure)}): see that it runs, and that AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL and "
            + "AWS_REGION name it",
    };

    // docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    [GeneratedRegex(@"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\z")]
    private static partial Regex BucketName();
}
